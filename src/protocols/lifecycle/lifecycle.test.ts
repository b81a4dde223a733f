import { readFileSync } from "node:fs";
import { packageFile } from "../../system/package-root.ts";
import { describeProtocol } from "../protocol.contract.ts";
import { lifecycle } from "./lifecycle.ts";

describeProtocol(lifecycle, readFileSync(packageFile("workflows/lifecycle/workflow.yml"), "utf8"));
