// A browser that gets messages by web push, as it subscribed.

export interface MostSubscriptions {
  readonly inAll: number;
  readonly ofToken: number;
}

export type PutSubscription = "put" | "full" | "full_of_token";

export interface BrowserSubscription {
  /** Follows from the endpoint, so that a browser that subscribes again is the same. */
  readonly id: string;
  /** The address at the push service of the browser. Who knows it can send to it. */
  readonly endpoint: string;
  /** The public key of the browser: an uncompressed point of P-256, base64url. */
  readonly p256dh: string;
  /** 16 bytes that only the browser and Pawl know, base64url. */
  readonly auth: string;
  /** The name of the API token that it was made with. */
  readonly token: string;
  readonly createdAt: number;
}

/** What a browser is sent: the service worker of the page reads it. */
export interface PushedMessage {
  readonly title: string;
  readonly body: string;
  /** A message with the same tag takes the place of the one that is shown. */
  readonly tag: string;
  /** The path of the page that a click opens. */
  readonly path: string;
  /** Shown without a sound: the question is over. */
  readonly silent: boolean;
}
