import { readFileSync } from "node:fs";
import { packageFile } from "../../system/package-root.ts";
import { describeProtocol } from "../protocol.contract.ts";
import { ralph } from "./ralph.ts";

describeProtocol(ralph, readFileSync(packageFile("workflows/dynamic-ralph/workflow.yml"), "utf8"));
