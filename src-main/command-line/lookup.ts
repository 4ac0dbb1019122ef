import { createHash } from 'node:crypto'
import { basename, resolve } from 'node:path'
import {
  type LookupDraft,
  type LookupJob,
  exportFormat,
} from '../../src-preload/contract/lookup.ts'
import { type CommandBody, type Invocation, assertUsage, exitCodes } from './command.ts'
import { openInput, saveExport } from './files.ts'
import { watchJob, joinSentence } from './watch-job.ts'
import * as read from './options.ts'
import { field } from './schema-options.ts'
import { type NetworkRun, finishJob, onNetwork } from './session.ts'
import { sanitize } from './terminal.ts'

type AskedLookup = ReturnType<typeof readOptions>

export function readOptions(invocation: Invocation) {
  const network = read.readText(invocation, 'network')
  const message = '`tondesk lookup` needs --network, such as --network mainnet.'
  assertUsage(network !== undefined, message)
  const output = read.readOutput(invocation)
  const format = read.readFormat(invocation, exportFormat.options, output, 'csv')
  const isPrintable = format !== 'xlsx' || output !== null
  assertUsage(isPrintable, 'XLSX needs a file: add -o FILE.')
  const typed = read.readText(invocation, 'currency')?.toLowerCase() ?? null
  const currency = typed === 'gram' ? 'ton' : typed
  const isCode = currency === null || /^[a-z]{3,8}$/.test(currency)
  assertUsage(isCode, `--currency takes a code such as usd, not "${currency}".`)
  const [file = '-'] = invocation.positionals
  const resume = invocation.options['resume'] === true
  const jettons = [...(invocation.lists['jetton'] ?? [])]
  return {
    network,
    format,
    output,
    currency,
    jettons,
    resume,
    file: file === '-' ? null : resolve(file),
  }
}

const someLeftOut = 3

export const lookupCommand: CommandBody = {
  options: {
    network: read.networkOption,
    format: field(exportFormat, 'file format (default: by the extension of OUT, else csv)'),
    output: { ...read.outputOption('OUT'), description: 'write the result to this file' },
    currency: read.text('USD', 'also convert balances into this currency'),
    jetton: {
      ...read.text('ADDRESS', 'also read balances of the jetton with this minter; can be repeated'),
      multiple: true,
    },
    resume: read.flag('continue the earlier job with the same list, network and OUT'),
  },
  detail: [
    'FILE has up to 100,000 addresses: one per line, separated by commas, semicolons, tabs or spaces,\nor CSV with an address column. Without FILE, or for -, the list is read from standard input.\nThe result has every line in the same order. A line that was not looked up has the reason.',
    'Every response is stored in the data directory. After Ctrl-C, a kill or a failure the\nsame command with --resume requests only the remaining addresses.',
  ],
  exits: {
    [someLeftOut]: 'done, but some lines are invalid or failed: the result has the reasons',
  },
  async run(invocation) {
    const requested = readOptions(invocation)
    const wayOn = 'Continue with --resume.'
    return onNetwork(invocation, requested.network, wayOn, async (run) => {
      const list = await readList(run, requested)
      const { id } = await begin(run, list, requested)
      const { format, output } = requested
      const { counts, failed } = await finishJob(run, async (own) => {
        const job = await followLookup(own, id)
        await saveExport(own, await own.session.call('lookup.export', { id, format }), output)
        return job
      })
      if (output !== null) run.terminal.note(`Written to ${output}.`)
      const leftOut = counts.invalid + counts.wrongNetwork + counts.beyond + failed
      return leftOut === 0 ? exitCodes.ok : someLeftOut
    })
  },
}

async function begin(
  { session, terminal }: NetworkRun,
  { draft, fingerprint }: ReadList,
  requested: AskedLookup,
): Promise<LookupJob> {
  const { currency, jettons } = requested
  const source = requested.file === null ? 'standard input' : basename(requested.file).slice(0, 80)
  const name = `${source} ${fingerprint}`
  if (requested.resume) {
    const jobs = await session.call('job.list', { kind: 'lookup' })
    const earlier = (jobs as LookupJob[]).find(
      (job) => job.name === name && job.state !== 'cancelled',
    )
    if (earlier !== undefined) {
      const { id, answered, counts } = earlier
      terminal.note(`Job ${id} continues: ${answered} of ${counts.valid} are done.`)
      return session.call('job.resume', { kind: 'lookup', id }) as Promise<LookupJob>
    }
    terminal.note('No earlier job with this list, network and OUT was found. Starting a new job.')
  }
  const job = await session.call('lookup.start', { draft, name, currency, jettons })
  terminal.note(`Job ${job.id}: ${job.counts.valid} addresses to look up.`)
  return job
}

type ReadList = Awaited<ReturnType<typeof readList>>

const problemsShown = 10

async function readList(
  { session, network: { id: network }, terminal }: NetworkRun,
  { file, output, currency, jettons }: AskedLookup,
) {
  const hash = createHash('sha256').update(JSON.stringify([network, output, currency, ...jettons]))
  let draft = await session.call('lookup.begin', { network })
  for await (const bytes of openInput(file, 'The list')) {
    hash.update(bytes)
    const piece = { base64: bytes.toString('base64') }
    draft = await session.call('lookup.append', { draft: draft.id, piece, isLast: false })
    if (draft.isFull) break
  }
  const piece = { text: '' }
  draft = await session.call('lookup.append', { draft: draft.id, piece, isLast: true })
  for (const line of describe(draft)) terminal.note(line)
  return { draft: draft.id, fingerprint: hash.digest('hex').slice(0, 12) }
}

function describe({ counts, problems, remarks }: LookupDraft): string[] {
  const { valid, duplicate, wrongNetwork, invalid, beyond } = counts
  const understood = joinSentence([
    `${valid} valid`,
    duplicate > 0 && `${duplicate} duplicate`,
    wrongNetwork > 0 && `${wrongNetwork} of another network`,
    invalid > 0 && `${invalid} invalid`,
    beyond > 0 && 'more beyond the limit',
  ])
  const shown = problems.filter(({ status }) => status !== 'duplicate').slice(0, problemsShown)
  const hidden = invalid + wrongNetwork - shown.length
  return [
    ...remarks.map(sanitize),
    `The list contains: ${understood}.`,
    ...shown.map(({ line, text, reason }) => `  line ${line}: ${sanitize(text)}: ${reason ?? ''}`),
    ...(hidden > 0 ? [`  and ${hidden} more, listed in the result.`] : []),
  ]
}

async function followLookup(run: NetworkRun, id: number): Promise<LookupJob> {
  const wayOn = 'To continue, run the same command with --resume.'
  const job = await watchJob(run, 'lookup', { id, wayOn, resumes: true })
  const { answered, failed, requests, problem } = job
  run.terminal.note(`Done: ${answered} found, ${failed} failed, ${requests} requests.`)
  if (problem !== null) run.terminal.note(problem)
  return job
}
