/**
 * The thread that reads lists and figures of invoices: to look through a million of them takes a tenth
 * of a second, for which the main thread would leave deliveries unanswered. It only reads.
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
import { serve } from './rpc.ts'

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
 * One reading a turn, between which all that was asked meanwhile arrives. What was asked last is what
 * somebody looks at now, and a list before a chart.
 */
function readNext(): void {
  isScheduled = false
  const next = waiting.findLast(({ isList }) => isList) ?? waiting.at(-1)
  if (next === undefined) return
  waiting = waiting.filter((each) => each !== next)
  next.begin()
  if (waiting.length > 0) schedule()
}

/** Each is answered as of the moment it is read. */
function inTurn<Question, Answer>(read: (question: Question) => Answer, isList = false) {
  return (question: Question): Promise<Answer> =>
    new Promise<void>((resolve) => {
      waiting.push({ isList, begin: resolve })
      schedule()
    }).then(() => transaction(database, () => read(question), 'DEFERRED'))
}

const functions = {
  page: inTurn((asked: InvoicePageInput) => lists.page(asked), true),
  tallies: inTurn((asked: TalliesInput) => figures.tallies(asked)),
  due: inTurn((asked: TalliesInput) => figures.due(asked)),
  paymentTimes: inTurn((asked: SpanInput) => figures.paymentTimes(asked)),
  close() {
    waiting = []
    database.close()
  },
}
export type ReaderCalls = typeof functions

serve(functions)
