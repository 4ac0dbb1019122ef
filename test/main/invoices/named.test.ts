/** Tests that indexes find the invoices that a comment may name, in any notation of ids and references. */
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { commentKey, readPaymentComment } from '../../../src-preload/domain/payment-comment.ts'
import type { AccountBook } from '../../../src-main/invoices/chain/accounts.ts'
import { createCandidates } from '../../../src-main/invoices/matching/candidates.ts'
import { createLinker } from '../../../src-main/invoices/matching/linker.ts'
import { openDatabase } from '../../../src-main/database/database.ts'
import { migrate } from '../../../src-main/database/migrate.ts'
import type { GatewayInvoice } from '../../../src-main/invoices/store/invoice-rows.ts'
import { createInvoiceStore } from '../../../src-main/invoices/store/invoice-store.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'

const network = 'shop'
const directory = temporaryDirectory()
const database = openDatabase(join(directory.path, 'tondesk.db'))
migrate(database, () => undefined)
const store = createInvoiceStore(database)
afterAll(() => {
  database.close()
  directory[Symbol.dispose]()
})

function invoiceOf(id: string, description: string): GatewayInvoice {
  return {
    id,
    status: 'pending',
    currency: 'TON',
    amount: 5n,
    overpayment: 0n,
    description,
    payTo: '0:aa',
    paidBy: null,
    paymentLink: '',
    comment: null,
    raw: '{}',
    createdAt: 1,
    expiresAt: 10_000,
    changedAt: 1,
  }
}

function add(id: string, orderReference: string): void {
  const sighting = { at: 1, source: 'listing', confirmedAt: 1, reportedStatus: null } as const
  const key = store.rows.insert(network, invoiceOf(id, ''), sighting)
  store.rows.setOrder(key, orderReference)
}

add('A1B2-C3D4', 'Order #4711')
add('e5f60718', '47110')
add('7D1E4B92-0C3A-4F6E-9B21-AA34F00C9D17', 'SHOP 2024/17')

function found(comment: string) {
  const { ids, parts, references } = readPaymentComment(comment)
  const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id)
  return {
    ids: idsOf(store.figures.byIds(network, ids, [])),
    parts: idsOf(store.figures.byIds(network, [], parts)),
    references: idsOf(store.figures.byReferences(network, references)),
  }
}

const none = { ids: [], parts: [], references: [] }

test.each([
  ['Invoice: a1b2c3d4', { ...none, ids: ['A1B2-C3D4'] }],
  ['A1B2 C3D4', { ...none, ids: ['A1B2-C3D4'] }],
  ['E5F60718, thanks', { ...none, ids: ['e5f60718'] }],
  ['e5f6O7l8', { ...none, ids: ['e5f60718'] }],
  ['7d1e4b920c3a4f6e9b21aa34f00c9d17', { ...none, ids: ['7D1E4B92-0C3A-4F6E-9B21-AA34F00C9D17'] }],
  ['a1b2c3…', { ...none, parts: ['A1B2-C3D4'] }],
  ['Order 4711', { ...none, references: ['A1B2-C3D4'] }],
  ['order no. 4711', { ...none, references: ['A1B2-C3D4'] }],
  ['4711', { ...none, references: ['A1B2-C3D4'] }],
  ['order 47110', { ...none, references: ['e5f60718'] }],
  ['shop 2024/17', { ...none, references: ['7D1E4B92-0C3A-4F6E-9B21-AA34F00C9D17'] }],
  ['coffee', none],
])('the comment %j finds the invoices that it may name', (comment, expected) => {
  expect(found(comment)).toMatchObject(expected)
})

test.each([
  ['order no. 4712', 'reference'],
  ['payment for c0ffee1…', 'similar'],
  ['coffee', null],
])(
  'a payment with the comment %j from before its invoice was known is linked if the comment names the invoice',
  (comment, grade) => {
    using directory = temporaryDirectory()
    const database = openDatabase(join(directory.path, 'tondesk.db'))
    migrate(database, () => undefined)
    const shop = createInvoiceStore(database)
    const book = { of: () => null } as unknown as AccountBook
    const linker = createLinker(shop, book, createCandidates(shop, book), () => undefined)
    const payment = {
      account: '0:aa',
      lt: 1n,
      hash: 'ab',
      at: 2000,
      currency: 'TON' as const,
      amount: 7n,
      payer: '0:bb',
      comment,
      commentKey: commentKey(comment),
    }
    const paymentKey = shop.payments.add(network, payment) ?? 0
    const [early] = shop.payments.withComment({ network, ...payment }, 0, 9000, 9)
    if (early === undefined) throw new Error('The payment is not stored.')
    expect([...linker.linkAll([early]).invoices]).toEqual([])

    const sighting = { at: 1, source: 'listing', confirmedAt: 1, reportedStatus: null } as const
    const key = shop.rows.insert(network, invoiceOf('c0ffee12', 'Order #4712'), sighting)
    const [invoice] = shop.figures.byKeys([key])
    if (invoice === undefined) throw new Error('The invoice is not stored.')
    const affected = linker.affectedBy(invoice)
    expect(affected.map((each) => each.key)).toEqual(grade === null ? [] : [paymentKey])
    linker.linkAll(affected)
    const after = shop.payments.get(network, paymentKey)
    expect([after?.invoiceKey, after?.certainty]).toEqual(
      grade === null ? [null, null] : [key, 'guess'],
    )
    database.close()
  },
)
