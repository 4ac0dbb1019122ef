import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../fixtures/directory.ts'
import { killAgainAndAgain } from '../fixtures/killed-sandbox.ts'
import { seededRandom } from '../fixtures/seeded.ts'

test('kill -9 in the middle of steady activity loses no transaction, no invoice and no event', async () => {
  using directory = temporaryDirectory()
  // To print measurements, run node test/bench/sandbox-kill.ts.
  const report = await killAgainAndAgain({
    dataDirectory: join(directory.path, 'sandbox'),
    rounds: 20,
    killAfter: 60,
    random: seededRandom(3),
  })
  expect(report).toMatchObject({
    missingTransactions: [],
    missingInvoices: [],
    missingEvents: [],
    unknownEvents: [],
    missingInvoiceEvents: [],
    disordered: [],
  })
  // Without transactions the test would prove nothing.
  expect(report.transactions).toBeGreaterThan(0)
  expect(report.events).toBeGreaterThan(0)
})
