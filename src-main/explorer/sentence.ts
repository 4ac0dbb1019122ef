/** What a trace did, in one plain sentence. What is not known is said to be unknown. */
import type { SentencePart } from '../../src-preload/contract/chain.ts'
import type { ReadNode } from './read-trace.ts'
import {
  type Action,
  type Telling,
  failedStep,
  isDeployed,
  stepsOf,
  describeDeed,
} from './action-summary.ts'
import { account, count, enumerate, joinWords, words } from './sentence-parts.ts'

/** Different clauses; the messages beyond them are counted. */
const maxTold = 4

/** @param nodes of one trace, the root first */
export function describeTrace(nodes: readonly ReadNode[], telling: Telling): SentencePart[] {
  const [root] = nodes
  if (root === undefined) return []
  return joinWords([
    ...describeRoot(root, telling),
    ...notifySkipped(root),
    ...notifyLaterFailures(nodes, root, telling),
    words('.'),
  ])
}

function describeRoot(root: ReadNode, telling: Telling): SentencePart[] {
  const { transaction, message, failure } = root
  const subject = account(telling.name(transaction.account))
  const actions = actionsOf(root)
  if (message === null) {
    const what =
      transaction.transaction_type === 'TransTickTock' ? 'ran by the clock' : 'ran by itself'
    const outcome = failure === null ? [] : [words(`, but it failed (${failure})`)]
    return [subject, words(` ${what}`), ...outcome, ...afterwards(actions, telling)]
  }
  const { source } = message.answer
  if (message.answer.msg_type === 'int_msg' && source) {
    return [
      account(telling.name(source)),
      words(' '),
      ...describeDeed({ message, node: root }, telling),
    ]
  }
  if (failure !== null) {
    const verb = telling.isEmulated ? ' would take' : ' took'
    const sent = actions.length === 0 ? ' and nothing was sent' : ''
    return [
      subject,
      words(`${verb} a message from outside, but it failed (${failure})${sent}`),
      ...afterwards(actions, telling),
    ]
  }
  const own = isDeployed(root)
    ? [[words(telling.isEmulated ? 'would be deployed' : 'was deployed')]]
    : []
  const clauses = [...own, ...describeDeeds(actions, telling)]
  if (clauses.length === 0) {
    const did = telling.isEmulated
      ? 'would take a message from outside and send'
      : 'took a message from outside and sent'
    return [subject, words(` ${did} nothing`)]
  }
  return [subject, words(' '), ...enumerate(clauses)]
}

function actionsOf(node: ReadNode): Action[] {
  const arrived = node.children.flatMap((child): Action[] =>
    child.message === null ? [] : [{ message: child.message, node: child }],
  )
  return [...arrived, ...node.underWay.map((message): Action => ({ message, node: null }))]
}

function afterwards(actions: readonly Action[], telling: Telling): SentencePart[] {
  return actions.length === 0 ? [] : [words(' and '), ...enumerate(describeDeeds(actions, telling))]
}

/** Equal clauses become one with their number. */
function describeDeeds(actions: readonly Action[], telling: Telling): SentencePart[][] {
  const groups = new Map<string, { clause: SentencePart[]; deeds: Action[] }>()
  const more: Action[] = []
  for (const action of actions) {
    const clause = describeDeed(action, telling)
    const key = JSON.stringify(clause)
    const group = groups.get(key)
    if (group !== undefined) group.deeds.push(action)
    else if (groups.size < maxTold) groups.set(key, { clause, deeds: [action] })
    else more.push(action)
  }
  const told = [...groups.values()].map(({ clause, deeds: { length } }) =>
    length === 1 ? clause : [words(`${length} times `), ...clause],
  )
  return more.length === 0 ? told : [...told, [words(describeMore(more, telling))]]
}

function describeMore(actions: readonly Action[], { isEmulated }: Telling): string {
  const sent = `${isEmulated ? 'would send' : 'sent'} ${count(actions.length, 'more message')}`
  const failed = actions.filter(
    ({ node }) => node !== null && failedStep(node) !== undefined,
  ).length
  if (failed === 0) return sent
  return `${sent}, of which ${failed} ${isEmulated ? 'would fail' : 'failed'}`
}

/** Actions a contract was told to leave out when they fail: mostly messages it had no TON for. */
function notifySkipped({ transaction }: ReadNode): SentencePart[] {
  const skipped = transaction.action_phase?.skipped_actions ?? 0
  return skipped === 0 ? [] : [words(`; ${count(skipped, 'action')} could not be carried out`)]
}

function notifyLaterFailures(
  nodes: readonly ReadNode[],
  root: ReadNode,
  { isEmulated }: Telling,
): SentencePart[] {
  // An internal message is told as what its sender did; else the root's own messages are told, all of them.
  const isOneDeed = root.message?.answer.msg_type === 'int_msg'
  const told = new Set((isOneDeed ? [root] : [root, ...root.children]).flatMap(stepsOf))
  const failures = nodes.filter((node) => node.failure !== null && !told.has(node)).length
  if (failures === 0) return []
  const verb = isEmulated ? 'would fail' : 'failed'
  return [words(`; further on, ${count(failures, 'transaction')} ${verb}`)]
}
