import { basename } from 'node:path'
import type { LookupJob } from '../../src-preload/contract/lookup.ts'
import { type Command, type Invocation, exitCodes } from './command.ts'
import { followLookup } from './follow-lookup.ts'
import { type ReadList, readList } from './lookup-list.ts'
import { type AskedLookup, readOptions } from './lookup-options.ts'
import { networkOption, onNetwork } from './network-session.ts'
import { saveExport } from './save-export.ts'
import type { Session } from './session.ts'

/** All was done, and not every line had an address that was answered. */
const someLeftOut = 3

export const lookup: Command = {
  name: 'lookup',
  arguments: '[FILE]',
  summary: 'look up many addresses at once and print what is known of each',
  options: {
    network: networkOption,
    format: {
      type: 'string',
      value: 'csv|json|xlsx',
      description: 'of the result (default: as OUT ends, else csv)',
    },
    output: { type: 'string', short: 'o', value: 'OUT', description: 'write to this file' },
    currency: { type: 'string', value: 'USD', description: 'balances in this currency too' },
    resume: {
      type: 'boolean',
      description: 'go on with the job of the same list, network and OUT',
    },
  },
  detail: [
    'FILE holds up to 100,000 addresses: one a line or parted by commas, semicolons, tabs or spaces,\nor CSV with a column of them. Without FILE, or for -, the list is read from standard input.\nThe result keeps its order and has every line, with the reason where one was not looked up.',
    'The job is kept in the data directory, answer by answer. After Ctrl-C, a kill or a failure the\nsame command with --resume asks only for what has no answer yet.',
  ],
  exits: {
    [someLeftOut]: 'done, but some lines are invalid or got no answer: the result says why',
  },
  async run(invocation) {
    const asked = readOptions(invocation)
    const wayOn = '--resume goes on.'
    return onNetwork(invocation, asked.network, wayOn, async (session, network) => {
      const list = await readList(session, network.id, asked, invocation)
      const job = await begin(session, list, asked, invocation)
      const ended = await followLookup(session, job, invocation)
      await save(session, ended, asked, invocation)
      return exitCodeOf(ended)
    })
  },
}

async function begin(
  session: Session,
  { draft, fingerprint }: ReadList,
  asked: AskedLookup,
  { terminal }: Invocation,
): Promise<LookupJob> {
  const source = asked.file === null ? 'standard input' : basename(asked.file).slice(0, 80)
  const name = `${source} ${fingerprint}`
  if (asked.resume) {
    const jobs = await session.call('lookup.list')
    const earlier = jobs.find((job) => job.name === name && job.state !== 'cancelled')
    if (earlier !== undefined) {
      const { id, answered, counts } = earlier
      terminal.note(`Job ${id} goes on: ${answered} of ${counts.valid} are answered.`)
      return session.call('lookup.resume', { id })
    }
    terminal.note('There is no earlier job of this list, network and OUT: a new one begins.')
  }
  const job = await session.call('lookup.start', { draft, name, currency: asked.currency })
  terminal.note(`Job ${job.id}: ${job.counts.valid} addresses to look up.`)
  return job
}

async function save(
  session: Session,
  { id }: LookupJob,
  { format, output }: AskedLookup,
  { terminal }: Invocation,
): Promise<void> {
  const file = await session.call('lookup.export', { id, format })
  await saveExport(session, file, output, terminal)
  if (output !== null) terminal.note(`Written to ${output}.`)
}

function exitCodeOf({ counts, failed }: LookupJob): number {
  const leftOut = counts.invalid + counts.wrongNetwork + counts.beyond + failed
  return leftOut === 0 ? exitCodes.ok : someLeftOut
}
