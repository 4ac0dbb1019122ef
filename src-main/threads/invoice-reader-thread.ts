/**
 * A thread that only reads lists and statistics of invoices: scanning a million invoices takes a
 * tenth of a second, in which the main thread could not respond to deliveries.
 */
import { workerData } from 'node:worker_threads'
import type { InvoicePageInput } from '../../src-preload/contract/invoice.ts'
import { openDatabase, transaction } from '../database/database.ts'
import { createInvoiceLists } from '../invoices/store/invoice-lists.ts'
import {
  type SpanInput,
  type TalliesInput,
  createInvoiceTallies,
} from '../invoices/store/invoice-tallies.ts'
import { serveCalls } from './rpc.ts'

const database = openDatabase(String(workerData), { readOnly: true })
const lists = createInvoiceLists(database)
const figures = createInvoiceTallies(database)

type Reading = { readonly isList: boolean; readonly begin: () => void }

let waiting: Reading[] = []
let isScheduled = false

function schedule(): void {
  if (isScheduled) return
  isScheduled = true
  setImmediate(readNext)
}

/**
 * Handles one request per turn, so that later requests can arrive. The newest request goes first,
 * because the window shows its result; lists go before charts.
 */
function readNext(): void {
  isScheduled = false
  const next = waiting.findLast(({ isList }) => isList) ?? waiting.at(-1)
  if (next === undefined) return
  waiting = waiting.filter((each) => each !== next)
  next.begin()
  if (waiting.length > 0) schedule()
}

const inTurn =
  <Question, Answer>(read: (question: Question) => Answer, isList = false) =>
  (question: Question): Promise<Answer> =>
    new Promise<void>((resolve) => {
      waiting.push({ isList, begin: resolve })
      schedule()
    }).then(() => transaction(database, () => read(question), 'DEFERRED'))

const functions = {
  page: inTurn((requested: InvoicePageInput) => lists.page(requested), true),
  tallies: inTurn((requested: TalliesInput) => figures.tallies(requested)),
  due: inTurn((requested: TalliesInput) => figures.due(requested)),
  paymentTimes: inTurn((requested: SpanInput) => figures.paymentTimes(requested)),
  close() {
    waiting = []
    database.close()
  },
}
export type ReaderCalls = typeof functions

serveCalls(functions)
