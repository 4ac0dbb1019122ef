import { createHash } from 'node:crypto'
import { basename, resolve } from 'node:path'
import type { Network } from '../../src-preload/contract/network.ts'
import {
  type Change,
  type Difference,
  type Plan,
  subscriptionsFormat,
} from '../../src-preload/contract/subscription.ts'
import type { Webhook } from '../../src-preload/contract/webhook.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { subscriptionCodes } from '../../src-preload/domain/error-codes.ts'
import { type CommandBody, type Invocation, exitCodes, usageError } from './command.ts'
import { openInput, saveExport } from './files.ts'
import { followJob, sentence } from './follow-job.ts'
import * as read from './options.ts'
import { field } from './schema-options.ts'
import { type Session, confirm, onNetwork } from './session.ts'
import { plain, printEvent } from './terminal.ts'

type AskedWebhooks = ReturnType<typeof readOptions>
type Work = (
  session: Session,
  network: Network,
  asked: AskedWebhooks,
  invocation: Invocation,
) => Promise<number>

// Every action accepts every option, since unused ones were never refused.
const taken = { list: null, export: null, plan: null, apply: null, undo: null }

export function readOptions(invocation: Invocation) {
  const { action, rest } = read.readAction('webhooks', taken, invocation)
  const [typed] = rest
  const network = read.readText(invocation, 'network')
  if (network === undefined) {
    throw usageError('`tondesk webhooks` needs --network, such as --network mainnet.')
  }
  const readsFile = action === 'plan' || action === 'apply'
  if (readsFile && typed === undefined) {
    throw usageError(`\`tondesk webhooks ${action}\` needs a FILE, or - for standard input.`)
  }
  if (!readsFile && typed !== undefined) {
    throw usageError(`"${typed}" is too much: \`tondesk webhooks ${action}\` reads no file.`)
  }
  const output = read.readOutput(invocation)
  const file = typed === undefined || typed === '-' ? null : resolve(typed)
  const formats = subscriptionsFormat.options
  const format = read.readFormat(invocation, formats, file ?? output, 'yaml')
  return { action, network, format, file, output }
}

export const webhooks: CommandBody = {
  options: {
    network: read.networkOption,
    format: field(subscriptionsFormat, 'of the file (default: as its name ends, else yaml)'),
    output: read.outputOption('OUT'),
    yes: read.yesOption('change without asking'),
    json: read.jsonOption,
  },
  detail: [
    'An ACTION is one of\n  list          the webhooks of the network\n  export        their subscriptions, in the form that plan reads\n  plan FILE     what differs between the file and what is; changes nothing\n  apply FILE    subscribes and unsubscribes until nothing differs\n  undo          takes back what the last apply has changed',
    'FILE, or standard input for -, holds the wanted state of one or several webhooks as YAML or CSV.\nWebhooks that it does not name, and kinds of subscriptions it says nothing of, are left alone.',
    'apply and undo ask first, or take --yes; where nobody can be asked, --yes is needed. After\nCtrl-C, a kill or a failure the same command goes on.',
  ],
  exits: {
    3: 'plan: there are differences; apply and undo: done, but some was refused: see the app',
  },
  async run(invocation) {
    const asked = readOptions(invocation)
    const wayOn = 'The same command goes on.'
    return onNetwork(invocation, asked.network, wayOn, (session, network) =>
      workOf[asked.action](session, network, asked, invocation),
    )
  },
}

const list: Work = async (session, network, _asked, invocation) => {
  const asked = { network: network.id, fresh: true }
  const { webhooks: all, problem } = await session.call('webhook.list', asked)
  for (const webhook of all) {
    await printEvent(invocation, { event: 'webhook', ...webhook }, describeWebhook(webhook))
  }
  if (problem === null) return exitCodes.ok
  invocation.terminal.note(`As last read. ${problem}`)
  return exitCodes.failed
}

function describeWebhook(webhook: Webhook): string {
  const { accounts, opcodes, failedAttempts } = webhook
  return sentence(
    [
      webhook.id.padEnd(6),
      (webhook.status ?? 'unknown').padEnd(9),
      plain(webhook.endpoint),
      accounts !== null && `${accounts} accounts`,
      opcodes !== null && opcodes > 0 && `${opcodes} opcodes`,
      webhook.mempool === true && 'mempool',
      webhook.newContracts === true && 'new contracts',
      failedAttempts !== null && failedAttempts > 0 && `${failedAttempts} failed attempts`,
    ],
    '  ',
  )
}

const exportAll: Work = async (session, network, { format, output }, { terminal }) => {
  const file = await session.call('subscription.export', { network: network.id, format })
  await saveExport(session, file, output, terminal)
  if (output !== null) terminal.note(`Written to ${basename(output)}.`)
  return exitCodes.ok
}

const differs = 3
const pageLength = 500

async function readPlan(
  session: Session,
  network: Network,
  { file, format }: AskedWebhooks,
): Promise<Plan> {
  const pieces = await Array.fromAsync(openInput(file, 'The file'))
  const hash = createHash('sha256').update(network.id)
  for (const bytes of pieces) hash.update(bytes)
  const source = file === null ? 'standard input' : basename(file).slice(0, 200)
  // The name identifies the file's content, so that an interrupted change continues.
  const name = `${source} ${hash.digest('hex').slice(0, 12)}`
  const { id } = await session.call('plan.begin', { network: network.id, file: name, format })
  for (const piece of pieces) {
    await session.call('plan.append', { id, base64: piece.toString('base64') })
  }
  return session.call('plan.compare', { id })
}

const planFile: Work = async (session, network, asked, invocation) => {
  const plan = await readPlan(session, network, asked)
  await printEvent(invocation, { event: 'plan', ...plan })
  for await (const difference of differencesOf(session, plan)) {
    const line = describeDifference(difference)
    await printEvent(invocation, { event: 'difference', ...difference }, line)
  }
  invocation.terminal.note(summaryOf(plan))
  if (plan.refusal !== null) throw refusedPlan(plan.refusal)
  return isMet(plan) ? exitCodes.ok : differs
}

function isMet({ counts }: Plan): boolean {
  return counts.missing + counts.extra === 0
}

function refusedPlan(refusal: string): AppError {
  return new AppError('PLAN_REFUSED', refusal)
}

async function* differencesOf(session: Session, { id }: Plan): AsyncGenerator<Difference> {
  for (let offset = 0; ; offset += pageLength) {
    const asked = { id, offset, limit: pageLength }
    const { differences } = await session.call('plan.differences', asked)
    yield* differences
    if (differences.length < pageLength) return
  }
}

const signs: Readonly<Record<Difference['kind'], string>> = {
  missing: '+',
  extra: '-',
  'wrong-network': '!',
  duplicate: '!',
  invalid: '!',
}

function describeDifference(difference: Difference): string {
  const { kind, endpoint, what, subject, label, line, reason } = difference
  return sentence(
    [
      signs[kind],
      plain(endpoint),
      what,
      plain(subject),
      label !== null && `(${plain(label)})`,
      reason !== null && `line ${line ?? '?'}: ${reason}`,
    ],
    ' ',
  )
}

function summaryOf({ counts, same, webhooks, untouched }: Plan): string {
  const created = webhooks.filter(({ id }) => id === null).length
  const parts = sentence([
    `${counts.missing} to subscribe or create (+)`,
    `${counts.extra} to unsubscribe (-)`,
    `${same} as wanted`,
    created > 0 && `${created} webhooks to create`,
    counts['wrong-network'] > 0 && `${counts['wrong-network']} of another network`,
    counts.duplicate > 0 && `${counts.duplicate} duplicate`,
    counts.invalid > 0 && `${counts.invalid} invalid`,
    untouched.length > 0 && `${untouched.length} other webhooks are left alone`,
  ])
  return `${parts}.`
}

const someRefused = 3

/** First completes what an earlier call has begun. */
const applyFile: Work = async (session, network, asked, invocation) => {
  const { terminal } = invocation
  const plan = await readPlan(session, network, asked)
  if (plan.refusal !== null) throw refusedPlan(plan.refusal)
  const earlier = await unfinished(session, network, 'apply', plan.file)
  if (isMet(plan) && earlier === undefined) {
    terminal.note('All is as the file wants it.')
    return exitCodes.ok
  }
  terminal.note(summaryOf(plan))
  await confirm('Apply it?', unasked(asked), invocation)
  if (earlier === undefined) {
    const begun = await session.call('plan.apply', { id: plan.id })
    return end(session, begun, invocation)
  }
  try {
    await goOn(session, earlier, invocation)
  } catch (error) {
    // Others have changed the subscriptions meanwhile: only what differs now may be applied.
    if (!(error instanceof AppError) || error.code !== subscriptionCodes.changeNotNow) throw error
  }
  const left = await session.call('plan.compare', { id: plan.id })
  if (isMet(left)) return exitCodes.ok
  return end(session, await session.call('plan.apply', { id: plan.id }), invocation)
}

const undoLast: Work = async (session, network, asked, invocation) => {
  const earlier = await unfinished(session, network, 'undo', null)
  if (earlier !== undefined) return goOn(session, earlier, invocation)
  const changes = await session.call('change.list', { network: network.id })
  const last = changes.find(({ kind }) => kind === 'apply')
  if (last?.canUndo !== true) {
    const why =
      last === undefined
        ? 'Nothing was applied on this network.'
        : 'The last apply was undone already, has changed nothing, or its webhooks were altered since.'
    throw new AppError('NOTHING_TO_UNDO', why)
  }
  const { done } = last.counts
  invocation.terminal.note(`Change ${last.id}, ${plain(last.name)}: ${done} were changed.`)
  await confirm('Take them back?', unasked(asked), invocation)
  const undo = await session.call('change.undo', { id: last.id })
  return end(session, undo, invocation)
}

async function unfinished(
  session: Session,
  network: Network,
  kind: Change['kind'],
  name: string | null,
): Promise<Change | undefined> {
  const changes = await session.call('change.list', { network: network.id })
  const [last] = changes.filter((each) => each.kind === 'apply' || each.kind === 'undo')
  const isOpen = last?.state === 'running' || last?.state === 'paused' || last?.state === 'failed'
  return isOpen && last.kind === kind && (name === null || last.name === name) ? last : undefined
}

function unasked({ action }: AskedWebhooks): string {
  return `Nobody can be asked here: \`tondesk webhooks ${action}\` needs --yes.`
}

async function goOn(
  session: Session,
  { id, counts }: Change,
  invocation: Invocation,
): Promise<number> {
  invocation.terminal.note(`Change ${id} goes on: ${counts.waiting} of ${counts.total} are left.`)
  return end(session, await session.call('change.resume', { id }), invocation)
}

async function end(
  session: Session,
  { id, counts }: Change,
  invocation: Invocation,
): Promise<number> {
  const { terminal } = invocation
  terminal.note(`Change ${id}: ${counts.total} in all.`)
  const change = await followJob<Change>(
    session,
    {
      ...{ id, name: `Change ${id}`, wayOn: 'The same command goes on.' },
      get: () => session.call('change.get', { id }),
      pause: () => session.call('change.pause', { id }),
      jobsIn: ({ name, payload }) => (name === 'change.changed' ? payload.changes : []),
      removed: 'change.removed',
      countsOf: (each) => [each.counts.total - each.counts.waiting, each.counts.total],
    },
    invocation,
  )
  const { done, unchanged, failed } = change.counts
  await printEvent(invocation, { event: 'change', ...change })
  terminal.note(`Done: ${done} changed, ${unchanged} were so already, ${failed} refused.`)
  return failed === 0 ? exitCodes.ok : someRefused
}

const workOf: Readonly<Record<AskedWebhooks['action'], Work>> = {
  ...{ list, export: exportAll, plan: planFile, apply: applyFile, undo: undoLast },
}
