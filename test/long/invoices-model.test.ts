/** Compares the invoices with a model of the specification, with random actions at the gateway. */
import { expect, test } from 'vitest'
import { startApp } from '../fixtures/app.ts'
import { createInvoiceModel } from '../fixtures/invoice-model.ts'
import { seededRandom } from '../fixtures/seeded.ts'

test('for 2,000 invoices with every kind of payment, ledger, gateway, statistics, charts and chain agree to the last unit', async () => {
  await using app = await startApp({ host: 'browser', startSandbox: true, sandboxPort: 0 })
  await app.until(async () => (await app.request('sandbox.state')).status === 'running', 'sandbox')
  await using model = await createInvoiceModel(app, seededRandom(20_261_121))
  await model.run(2000)
  expect(model.tally.deliveriesOff).toBeGreaterThan(500)
  await model.check()
  await model.expireAll()
  await model.check()
})
