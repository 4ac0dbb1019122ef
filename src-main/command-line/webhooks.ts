import { createHash } from 'node:crypto'
import { basename, resolve } from 'node:path'
import {
  type Change,
  type Difference,
  type Plan,
  subscriptionsFormat,
} from '../../src-preload/contract/subscription.ts'
import type { Webhook } from '../../src-preload/contract/webhook.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { subscriptionCodes } from '../../src-preload/domain/error-codes.ts'
import { webhookState } from '../../src-preload/domain/webhook-state.ts'
import { type CommandBody, type Invocation, assertUsage, exitCodes } from './command.ts'
import { openInput, saveExport } from './files.ts'
import { watchJob, joinSentence } from './watch-job.ts'
import * as read from './options.ts'
import { field } from './schema-options.ts'
import { type NetworkRun, confirm, itemsOf, onNetwork } from './session.ts'
import { sanitize, writeEvent } from './terminal.ts'

type AskedWebhooks = ReturnType<typeof readOptions>
type Work = (run: NetworkRun, requested: AskedWebhooks) => Promise<number>

// Older versions never refused an unused option, so every action accepts every option.
const taken = { list: null, export: null, plan: null, apply: null, undo: null }

export function readOptions(invocation: Invocation) {
  const { action, rest } = read.readAction('webhooks', taken, invocation)
  const [typed] = rest
  const network = read.readText(invocation, 'network')
  const message = '`tondesk webhooks` needs --network, such as --network mainnet.'
  assertUsage(network !== undefined, message)
  const command = `\`tondesk webhooks ${action}\``
  if (action === 'plan' || action === 'apply') {
    assertUsage(typed !== undefined, `${command} needs a FILE, or - for standard input.`)
  } else assertUsage(typed === undefined, `"${typed ?? ''}" is too much: ${command} reads no file.`)
  const output = read.readOutput(invocation)
  const file = typed === undefined || typed === '-' ? null : resolve(typed)
  const formats = subscriptionsFormat.options
  const format = read.readFormat(invocation, formats, file ?? output, 'yaml')
  return { action, network, format, file, output }
}

export const webhookCommands: CommandBody = {
  options: {
    network: read.networkOption,
    format: field(
      subscriptionsFormat,
      'file format (default: by the extension of FILE, else yaml)',
    ),
    output: read.outputOption('OUT'),
    yes: read.yesOption('do not ask for confirmation'),
    json: read.jsonOption,
  },
  detail: [
    'An ACTION is one of\n  list          list the webhooks of the network\n  export        write the subscriptions to a file that plan and apply can read\n  plan FILE     show the differences between file and gateway; changes nothing\n  apply FILE    subscribe and unsubscribe until the gateway matches the file\n  undo          undo the last apply',
    'FILE, or standard input for -, contains the desired subscriptions of one or several webhooks, as YAML or CSV.\nOther webhooks, and kinds of subscriptions that are not in the file, stay unchanged.',
    'apply and undo ask for confirmation. Without a terminal, add --yes. After Ctrl-C, a kill or\na failure the same command continues.',
  ],
  exits: {
    3: 'plan: differences found; apply and undo: done, but some changes were rejected (the app lists them)',
  },
  async run(invocation) {
    const requested = readOptions(invocation)
    const wayOn = 'Run the same command to continue.'
    return onNetwork(invocation, requested.network, wayOn, (run) =>
      works[requested.action](run, requested),
    )
  },
}

const list: Work = async (run) => {
  const request = { network: run.network.id, fresh: true }
  const { webhooks: all, problem } = await run.session.call('webhook.list', request)
  for (const webhook of all) {
    await writeEvent(run, { event: 'webhook', ...webhook }, describeWebhook(webhook))
  }
  if (problem === null) return exitCodes.ok
  run.terminal.note(`These webhooks may be outdated. ${problem}`)
  return exitCodes.failed
}

function describeWebhook(webhook: Webhook): string {
  const { accounts, opcodes, failedAttempts } = webhook
  return joinSentence(
    [
      webhook.id.padEnd(6),
      (webhookState(webhook) ?? 'unknown').padEnd(9),
      sanitize(webhook.endpoint),
      accounts !== null && `${accounts} accounts`,
      opcodes !== null && opcodes > 0 && `${opcodes} opcodes`,
      webhook.mempool === true && 'mempool',
      webhook.newContracts === true && 'new contracts',
      failedAttempts !== null && failedAttempts > 0 && `${failedAttempts} failed attempts`,
    ],
    '  ',
  )
}

const exportAll: Work = async (run, { format, output }) => {
  const request = { network: run.network.id, format }
  await saveExport(run, await run.session.call('subscription.export', request), output)
  if (output !== null) run.terminal.note(`Written to ${basename(output)}.`)
  return exitCodes.ok
}

/** Exit code of a plan with differences, and of a change that the gateway refused in part. */
const someLeft = 3

async function readPlan(
  { session, network }: NetworkRun,
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

const planFile: Work = async (run, requested) => {
  const plan = await readPlan(run, requested)
  const { id } = plan
  await writeEvent(run, { event: 'plan', ...plan })
  for await (const difference of itemsOf(
    async (page) => (await run.session.call('plan.differences', { id, ...page })).differences,
  )) {
    const line = describeDifference(difference)
    await writeEvent(run, { event: 'difference', ...difference }, line)
  }
  run.terminal.note(summaryOf(plan))
  if (plan.refusal !== null) throw refusedPlan(plan.refusal)
  return isMet(plan) ? exitCodes.ok : someLeft
}

function isMet({ counts }: Plan): boolean {
  return counts.missing + counts.extra === 0
}

function refusedPlan(refusal: string): AppError {
  return new AppError('PLAN_REFUSED', refusal)
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
  return joinSentence(
    [
      signs[kind],
      sanitize(endpoint),
      what,
      sanitize(subject),
      label !== null && `(${sanitize(label)})`,
      reason !== null && `line ${line ?? '?'}: ${reason}`,
    ],
    ' ',
  )
}

function summaryOf({ counts, same, webhooks, untouched }: Plan): string {
  const created = webhooks.filter(({ id }) => id === null).length
  const parts = joinSentence([
    `${counts.missing} to subscribe or create (+)`,
    `${counts.extra} to unsubscribe (-)`,
    `${same} already match the file`,
    created > 0 && `${created} webhooks to create`,
    counts['wrong-network'] > 0 && `${counts['wrong-network']} of another network`,
    counts.duplicate > 0 && `${counts.duplicate} duplicate`,
    counts.invalid > 0 && `${counts.invalid} invalid`,
    untouched.length > 0 && `${untouched.length} other webhooks stay unchanged`,
  ])
  return `${parts}.`
}

/** An unfinished earlier call is completed first. */
const applyFile: Work = async (run, requested) => {
  const { session, terminal } = run
  const plan = await readPlan(run, requested)
  const { id } = plan
  if (plan.refusal !== null) throw refusedPlan(plan.refusal)
  const earlier = await unfinished(run, 'apply', plan.file)
  if (isMet(plan) && earlier === undefined) {
    terminal.note('The gateway’s subscriptions already match the file.')
    return exitCodes.ok
  }
  terminal.note(summaryOf(plan))
  await confirm('Apply these changes?', withoutDefaults(requested), run)
  if (earlier !== undefined) {
    try {
      await resume(run, earlier)
    } catch (error) {
      // The subscriptions have changed meanwhile, so only the current differences may be applied.
      if (!(error instanceof AppError) || error.code !== subscriptionCodes.changeNotNow) throw error
    }
    if (isMet(await session.call('plan.compare', { id }))) return exitCodes.ok
  }
  return end(run, await session.call('plan.apply', { id }))
}

const undoLast: Work = async (run, requested) => {
  const { session, terminal } = run
  const earlier = await unfinished(run, 'undo', null)
  if (earlier !== undefined) return resume(run, earlier)
  const last = (await changesOf(run)).find(({ kind }) => kind === 'apply')
  if (last?.canUndo !== true) {
    const why =
      last === undefined
        ? 'No change was applied on this network.'
        : 'The last apply was already undone, or changed nothing, or a later change affects the same webhooks.'
    throw new AppError('NOTHING_TO_UNDO', why)
  }
  terminal.note(`Change ${last.id}, ${sanitize(last.name)}: ${last.counts.done} were changed.`)
  await confirm('Undo this change?', withoutDefaults(requested), run)
  return end(run, await session.call('change.undo', { id: last.id }))
}

function changesOf({ session, network }: NetworkRun): Promise<Change[]> {
  const input = { kind: 'change', network: network.id } as const
  return session.call('job.list', input) as Promise<Change[]>
}

async function unfinished(
  run: NetworkRun,
  kind: Change['kind'],
  name: string | null,
): Promise<Change | undefined> {
  const last = (await changesOf(run)).find((each) => each.kind === 'apply' || each.kind === 'undo')
  const isOpen = last?.state === 'running' || last?.state === 'paused' || last?.state === 'failed'
  return isOpen && last.kind === kind && (name === null || last.name === name) ? last : undefined
}

function withoutDefaults({ action }: AskedWebhooks): string {
  return `Without a terminal, \`tondesk webhooks ${action}\` needs --yes.`
}

async function resume(run: NetworkRun, { id, counts }: Change): Promise<number> {
  run.terminal.note(`Change ${id} continues: ${counts.waiting} of ${counts.total} are left.`)
  const resumed = await run.session.call('job.resume', { kind: 'change', id })
  return end(run, resumed as Change)
}

async function end(run: NetworkRun, { id, counts }: Change): Promise<number> {
  const { terminal } = run
  terminal.note(`Change ${id}: ${counts.total} changes to make.`)
  const change = await watchJob(run, 'change', { id, wayOn: 'Run the same command to continue.' })
  const { done, unchanged, failed } = change.counts
  await writeEvent(run, { event: 'change', ...change })
  terminal.note(`Done: ${done} changed, ${unchanged} already up to date, ${failed} rejected.`)
  return failed === 0 ? exitCodes.ok : someLeft
}

const works: Readonly<Record<AskedWebhooks['action'], Work>> = {
  list,
  export: exportAll,
  plan: planFile,
  apply: applyFile,
  undo: undoLast,
}
