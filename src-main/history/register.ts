import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { HistoryExport } from '../../src-preload/contract/history-export.ts'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { AppContext } from '../app/context.ts'
import { requireAddress } from '../explorer/addresses.ts'
import { type HistoryRow, fileEndings, formatHistory } from './history-files.ts'
import { addHistoryJobs, checkPeriod } from './history-jobs.ts'
import type { StoredRow } from './store/history-exports.ts'

const rowsAtOnce = 1000
const unfinished: readonly string[] = ['running', 'paused', 'failed']

export function registerHistory(context: AppContext) {
  const { access, chainNow, files, labelsOf, now } = context
  const jobs = addHistoryJobs(context)
  const { store } = jobs

  async function* batches(id: number, network: string): AsyncGenerator<HistoryRow[]> {
    for (let last: StoredRow | null = null; ;) {
      // A removed job loses its rows, and a file must have all.
      jobs.find(id)
      const found: StoredRow[] = store.rows(id, last, rowsAtOnce)
      last = found.at(-1) ?? null
      if (last === null) return
      const labels = labelsOf(
        network,
        found.flatMap(({ peer }) => peer ?? []),
      )
      yield found.map((row) => ({ ...row, peerLabel: labels.get(row.peer ?? '') ?? null }))
      await yieldToEventLoop()
    }
  }

  const routes = jobs.routes('historyExport', 'list', 'get', 'pause', 'resume', 'cancel', 'remove')
  const handlers = {
    ...routes,
    async 'historyExport.start'({ network, address: text, from, to, view, resumes }) {
      const address = requireAddress(text, true)
      // An unknown network throws before anything is stored.
      access.info(network)
      const present = await chainNow(network).catch(now)
      const isSame = (job: HistoryExport) =>
        job.view === view &&
        job.from === from &&
        (to === null || job.to === to) &&
        unfinished.includes(job.state)
      const earlier = resumes
        ? routes['historyExport.list']({ network, address }).find(isSame)
        : undefined
      if (earlier !== undefined) return routes['historyExport.resume']({ id: earlier.id })
      const toAt = Math.min(to ?? present, present)
      checkPeriod(from, toAt)
      return jobs.begin(jobs.add({ network, address, view, fromAt: from, toAt, createdAt: now() }))
    },
    'historyExport.write'({ id, format }) {
      const job = jobs.view(id)
      const subject = {
        ...job,
        sums: store.assets(id),
        testOnly: access.info(job.network).testOnly,
      }
      const name = `history-${job.address.slice(-8)}-${id}.${fileEndings[format]}`
      return files.make(name, formatHistory(format, subject, batches(id, job.network)))
    },
  } satisfies Partial<Handlers>
  return { handlers }
}
