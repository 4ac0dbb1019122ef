/** The invoice desk against a model of the specification, over a shop driven at random. */
import { test } from 'vitest'
import { startApp } from '../fixtures/app.ts'
import { createInvoiceModel } from '../fixtures/invoice-model.ts'
import { seeded } from '../fixtures/seeded.ts'

// The 2,000 of the long tests find what is rare; these find what a change breaks for everybody.
test('60 invoices paid in every way: ledger, gateway, statistics, charts and chain agree to the last unit', async () => {
  await using app = await startApp({ host: 'browser', startSandbox: true, sandboxPort: 0 })
  await app.until(async () => (await app.request('sandbox.state')).status === 'running', 'sandbox')
  await using model = await createInvoiceModel(app, seeded(18))
  await model.run(60)
  await model.check()
  await model.expireAll()
  await model.check()
})
