/**
 * Tests that invoice data which only this computer has survives a damaged database; the rest is
 * read again.
 */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDatabase } from '../../../src-main/database/database.ts'
import { rescueDatabase } from '../../../src-main/database/rescue.ts'
import { fillInvoices } from '../../bench/lib/fill-invoices.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'

test('a rescue preserves invoices, totals, payments and notes, and the chain is read again', async () => {
  using home = temporaryDirectory()
  const path = join(home.path, 'tondesk.db')
  fillInvoices(home.path, 300)
  const all = (sql: string) => {
    const database = openDatabase(path)
    try {
      return database.prepare(sql).all()
    } finally {
      database.close()
    }
  }
  const figures = 'SELECT * FROM invoice_totals ORDER BY 1, 2, 3'
  const before = all(figures)
  expect(before.length).toBeGreaterThan(3)
  const database = openDatabase(path)
  database.exec(`
    INSERT INTO invoice_accounts (network, account, first_invoice, since, active_until, top_lt, read_to)
    VALUES ('mainnet', '0:aa', 1, 0, 0, 7, 7);
    INSERT INTO payments (network, account, lt, hash, at, currency, amount, payer, invoice_key, linked_by)
    SELECT 'mainnet', '0:aa', 5, 'ff', 1, 'TON', 9, '0:bb', min(key), 'person' FROM invoices;
    INSERT INTO matters (network, kind, invoice_key, state, since, note, handled_at)
    SELECT 'mainnet', 'overpaid', min(key), 'paid', 1, 'sent back', 2 FROM invoices
  `)
  database.close()

  const { rescued } = await rescueDatabase(path, join(home.path, 'aside'))
  expect(rescued).toMatchObject({ invoices: 300, payments: 1, matters: 1, invoice_accounts: 1 })
  expect(all(figures)).toEqual(before)
  expect(all('SELECT note, handled_at FROM matters')).toEqual([
    { note: 'sent back', handled_at: 2 },
  ])
  expect(all('SELECT top_lt, read_to FROM invoice_accounts')).toEqual([
    { top_lt: null, read_to: null },
  ])
})
