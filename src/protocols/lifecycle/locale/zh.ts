// The texts of a session in Chinese: the seed's own messages, and the others in its words.

import type { Messages } from "./messages.ts";

export const chinese: Messages = {
  position: "位置",
  target: "目标",
  steps: "步骤",
  session: "会话",
  phase: "阶段",
  milestone: "里程碑",
  waves: "波次",
  executed: "已执行",
  resume: "恢复",
  decisionPoints: (count) => `${count} 个决策点`,
  stop: (decision, execute) => `⏸ 到达决策节点: ${decision}。使用 ${execute} 继续。`,
  decided: (decision, outcome) => `◆ 决策: ${decision} → ${outcome}`,
  inserted: (decision, found, retry, most) => `◆ ${decision}: ${found},插入 debug+修复循环 (重试 ${retry}/${most})`,
  escalated: (decision) => `◆ ${decision}: 已达最大重试次数,升级到 debug`,
  paused: (execute) => ["◆ 已达最大重试次数,debug 已执行。请人工介入检查结果。", `使用 ${execute} 在处理后恢复`],
  advanced: (decision, done, next, phase) => `◆ ${decision}: ${done} 已完成 → 进入 ${next} 阶段 ${phase}`,
  allComplete: (decision) => `◆ ${decision}: 所有里程碑已完成!`,
  outcomes: {
    verification: { proceed: "无缺口", fix: "发现缺口" },
    "business-test": { proceed: "全部通过", fix: "发现失败" },
    review: { proceed: "无阻塞", fix: "审查被阻塞" },
    uat: { proceed: "全部通过", fix: "发现失败" },
    milestone: { more: "下一个里程碑", complete: "所有里程碑已完成" },
  },
  codes: {
    E001: "没有意图,也没有运行中的会话",
    E002: "无法推断生命周期位置",
    E003: "未找到用于决策的产物目录",
    E004: "结果文件缺失或不明确",
    E005: "波次超时",
    E006: "未找到可执行的会话",
    W001: "决策节点扩展了链",
    W002: "已达最大重试次数,升级到 debug",
    W003: "存在多个运行中的会话,使用最新的一个",
  },
  instruction: `你是 Ralph 执行器子 agent。

skill_call 列包含 $maestro-ralph-execute 调用,它会解析内部的目标 skill 并执行。
直接运行 skill_call 中的命令即可。

限制:
- 不要修改 .workflow/.ralph/ 下的文件
- ralph-execute 内部处理 skill 路由和执行

完成后调用 report_agent_job_result,返回:
{"status":"completed|failed","skill_call":"{skill_call}","summary":"一句话结果","artifacts":"产物路径或空","error":"失败原因或空"}`,
};
