import { historyView } from '../../src-preload/contract/chain/account.ts'
import { historyFormat } from '../../src-preload/contract/history-export.ts'
import { type CommandBody, assertUsage, exitCodes } from './command.ts'
import { saveExport } from './files.ts'
import { watchJob } from './watch-job.ts'
import * as read from './options.ts'
import { field } from './schema-options.ts'
import { finishJob, onNetwork } from './session.ts'
import { sanitize } from './terminal.ts'

const isIncomplete = 3

export const historyExport: CommandBody = {
  options: {
    network: read.networkOption,
    format: field(historyFormat, 'file format (default: csv)'),
    output: { ...read.outputOption('OUT'), description: 'write the rows to this file' },
    rows: field(historyView, 'what the rows are made from (default: transactions)'),
    from: read.text('WHEN', 'start of the period, in UTC: a day, or a day and time'),
    to: read.text('WHEN', 'end of the period, in UTC; a day ends at midnight'),
    resume: read.flag('continue the earlier export of the same account, rows and period'),
  },
  detail: [
    'Reads all transactions of the account ADDRESS and of its jetton wallets, or with --rows events what\nthe gateway recognized in them, and compares the sum of the rows with the balances. Each transaction is held against the one before it, so that\nmissing ones are noticed. Every response is stored in the data directory: after Ctrl-C, a kill or a failure\nthe same command with --resume continues.',
  ],
  exits: {
    [isIncomplete]:
      'done, but the gateway left out a part, or the rows of an asset do not add up to its change of balance',
  },
  async run(invocation) {
    const network = read.readText(invocation, 'network')
    assertUsage(
      network !== undefined,
      '`tondesk history export` needs --network, such as --network mainnet.',
    )
    const [address] = read.readAction('history', { export: null }, invocation).rest
    assertUsage(address !== undefined, '`tondesk history export` needs the address of an account.')
    const output = read.readOutput(invocation)
    const format = read.readFormat(invocation, historyFormat.options, null, 'csv')
    assertUsage(format !== 'xlsx' || output !== null, 'XLSX needs a file: add -o FILE.')
    const moment = (name: 'from' | 'to') => {
      const typed = read.readText(invocation, name)
      return typed === undefined ? null : read.readMoment(typed, 'UTC', name, name === 'to')
    }
    return onNetwork(invocation, network, 'Continue with --resume.', async (run) => {
      const { session, terminal } = run
      const requested = { from: moment('from'), to: moment('to') }
      const resumes = invocation.options['resume'] === true
      const view = read.readChoice(invocation, 'rows', historyView.options, 'transactions')
      const input = { network: run.network.id, address, view, ...requested, resumes }
      const { id } = await session.call('historyExport.start', input)
      const done = await finishJob(run, async (own) => {
        const wayOn = 'To continue, run the same command with --resume.'
        const job = await watchJob(own, 'historyExport', { id, wayOn, resumes: true })
        await saveExport(own, await own.session.call('historyExport.write', { id, format }), output)
        return job
      })
      for (const note of done.notes) terminal.note(sanitize(note))
      for (const { symbol, difference, reason } of done.assets) {
        const verdict =
          difference === '0'
            ? 'the rows add up to the change of balance'
            : difference === null
              ? 'it is unknown whether the rows add up'
              : `the rows differ by ${difference} of the smallest unit`
        terminal.note(`${sanitize(symbol)}: ${verdict}. ${reason ?? ''}`.trim())
      }
      return done.problem === null ? exitCodes.ok : isIncomplete
    })
  },
}
