import type { InvoicePage } from '../invoices/store/invoice-lists.ts'
import type { ListAsked } from '../invoices/store/list-asked.ts'
import type {
  Due,
  DueAsked,
  PaymentTime,
  SpanAsked,
  TalliesAsked,
  Tally,
} from '../invoices/store/tallies-asked.ts'

export type ReaderData = { readonly database: string }

/** What the thread that reads invoices is asked; each as of the moment it is answered. */
export type ReaderCalls = {
  page: { question: ListAsked; answer: InvoicePage }
  tallies: { question: TalliesAsked; answer: Tally[] }
  due: { question: DueAsked; answer: Due[] }
  paymentTimes: { question: SpanAsked; answer: PaymentTime[] }
}

export type ReaderCall = {
  [N in keyof ReaderCalls]: {
    readonly type: 'call'
    readonly call: number
    readonly name: N
    readonly question: ReaderCalls[N]['question']
  }
}[keyof ReaderCalls]

export type ReaderRequest = ReaderCall | { readonly type: 'close' }

export type ReaderReport =
  | { readonly type: 'answer'; readonly call: number; readonly answer: unknown }
  | {
      readonly type: 'failed'
      readonly call: number
      readonly message: string
      readonly damage: boolean
    }
