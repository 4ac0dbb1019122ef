/**
 * The thread that reads lists and figures of invoices: to look through a million of them takes a tenth
 * of a second, for which the main thread would leave deliveries unanswered. It only reads.
 */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { isDamage, openDatabase, transaction } from '../database/database.ts'
import { createInvoiceLists } from '../invoices/store/invoice-lists.ts'
import { createInvoiceTallies } from '../invoices/store/invoice-tallies.ts'
import type {
  ReaderCall,
  ReaderData,
  ReaderReport,
  ReaderRequest,
} from './invoice-reader-messages.ts'

if (parentPort === null) throw new Error('The reader of invoices runs as a worker thread.')
const port = parentPort
const { database: path } = workerData as ReaderData

const database = openDatabase(path, { readOnly: true })
const lists = createInvoiceLists(database)
const figures = createInvoiceTallies(database)

let waiting: ReaderCall[] = []
let isScheduled = false

function take(request: ReaderRequest): void {
  if (request.type === 'close') {
    database.close()
    port.close()
    process.exit()
  }
  waiting.push(request)
  schedule()
}

function schedule(): void {
  if (isScheduled) return
  isScheduled = true
  setImmediate(answerNext)
}

/** One reading a turn. What was asked last is what somebody looks at now, and a list before a chart. */
function answerNext(): void {
  isScheduled = false
  for (;;) {
    const received = receiveMessageOnPort(port) as { message: ReaderRequest } | undefined
    if (received === undefined) break
    take(received.message)
  }
  const next = waiting.findLast(({ name }) => name === 'page') ?? waiting.at(-1)
  if (next === undefined) return
  waiting = waiting.filter((each) => each !== next)
  report(answer(next))
  if (waiting.length > 0) schedule()
}

function answer(request: ReaderCall): ReaderReport {
  const { call } = request
  try {
    return { type: 'answer', call, answer: transaction(database, () => read(request), 'DEFERRED') }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { type: 'failed', call, message, damage: isDamage(error) }
  }
}

function read(request: ReaderCall): unknown {
  switch (request.name) {
    case 'page':
      return lists.page(request.question)
    case 'tallies':
      return figures.tallies(request.question)
    case 'due':
      return figures.due(request.question)
    case 'paymentTimes':
      return figures.paymentTimes(request.question)
  }
}

function report(message: ReaderReport): void {
  port.postMessage(message)
}

port.on('message', take)
