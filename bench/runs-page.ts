// Measures the first page of ten thousand runs over HTTP, against its rows by plain SQL and the same bytes sent by a bare hono server.

import { createServer } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { createToken } from "../src/application/access/tokens.ts";
import { Application } from "../src/application/application.ts";
import { startServer } from "../src/http/server.ts";
import { alternate, type Measurement, medianOf, ms, type Stopwatch } from "./measure.ts";
import { openFilledWorld, takeSample } from "./sample.ts";

const callsInARound = 20;
const pageSize = 50;

export const runsPage: Measurement = {
  name: "runs-page",
  async measure({ quick, scratch }) {
    const sample = await takeSample(join(scratch, "sample"));
    const home = join(scratch, "home");
    await (await openFilledWorld(home, sample, 10_000)).store.close();
    const app = new Application({ cwd: scratch, env: { PAWL_HOME: home } });
    const service = await startServer({ app, host: "127.0.0.1", port: 0 });
    const db = new DatabaseSync(join(home, "pawl.db"), { readOnly: true });
    const bare = createServer();
    try {
      const { token } = await createToken(app, { role: "read" });
      const headers = { authorization: `Bearer ${token}` };
      const page = `${service.url}/api/v1/runs?limit=${pageSize}`;
      const text = await (await fetch(page, { headers })).text();
      const rows = db.prepare("select * from runs order by number desc limit ?");
      const hono = new Hono().get("/runs", (call) => {
        rows.all(pageSize + 1);
        return call.body(text, 200, { "content-type": "application/json" });
      });
      const listen = getRequestListener(hono.fetch);
      bare.on("request", (request, response) => void listen(request, response));
      await new Promise<void>((resolve) => bare.listen(0, "127.0.0.1", resolve));
      const address = bare.address();
      if (address === null || typeof address === "string") throw new Error("the bare server has no port");
      const calls = (url: string) => async (time: Stopwatch) => {
        await time(async () => {
          for (let call = 0; call < callsInARound; call += 1) {
            const answer = await fetch(url, { headers });
            if ((await answer.text()).length !== text.length) throw new Error("the sides send different pages");
          }
        });
      };
      const taken = await alternate(
        { ours: calls(page), bare: calls(`http://127.0.0.1:${address.port}/runs`) },
        { warmUp: 3, counted: quick ? 9 : 31 },
      );
      const [ours, theirs] = [medianOf(taken.ours, "wallMs"), medianOf(taken.bare, "wallMs")];
      return [
        {
          what: "first page of 10,000 runs, against its rows and a bare reply",
          measured: `${ms(ours / callsInARound)} against ${ms(theirs / callsInARound)}`,
          value: ours / theirs,
          unit: "times",
          target: { atMost: 5 },
        },
      ];
    } finally {
      bare.close();
      bare.closeAllConnections();
      db.close();
      await service.close();
      await app.close();
    }
  },
};
