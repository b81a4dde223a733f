// Limits of streams: how many, how often they send, and when a client is cut off.

import { type StreamTimes, usualStreamTimes } from "./event-stream.ts";
import { type FeedTimes, usualFeedTimes } from "./feed.ts";

export interface LiveLimits extends StreamTimes, FeedTimes {
  /** Of all tokens together. */
  readonly mostStreams: number;
}

/** Connections are limited, too: with all of them streams, nobody could call anything. */
export const usualLiveLimits: LiveLimits = {
  ...usualFeedTimes,
  ...usualStreamTimes,
  mostStreams: 400,
};
