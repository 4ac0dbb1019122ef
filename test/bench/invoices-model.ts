/**
 * Runs the model test of the invoice desk with many more invoices. By hand: npm run bench --
 * invoices-model --invoices N (100000) --seed N (1) --every N (10000).
 */
import { parseArgs } from 'node:util'
import { startApp } from '../fixtures/app.ts'
import { createInvoiceModel } from '../fixtures/invoice-model.ts'
import { seededRandom } from '../fixtures/seeded.ts'
import { writeStats } from './lib/stats.ts'

const { values: flags } = parseArgs({
  options: {
    invoices: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    /** The model is compared after each such number of invoices. */
    every: { type: 'string', default: '10000' },
  },
})
const invoices = Number(flags.invoices)
const every = Number(flags.every)

const began = performance.now()
const app = await startApp({
  host: 'browser',
  checkOutput: false,
  startSandbox: true,
  sandboxPort: 0,
})
await app.until(async () => (await app.request('sandbox.state')).status === 'running', 'sandbox')
const model = await createInvoiceModel(app, seededRandom(Number(flags.seed)))
for (let made = 0; made < invoices; made += every) {
  await model.run(Math.min(every, invoices - made))
  await model.check()
  const seconds = Math.round((performance.now() - began) / 1000)
  process.stderr.write(`${Math.min(made + every, invoices)} invoices agree after ${seconds} s\n`)
}
await model.expireAll()
await model.check()
writeStats('Invoices against the model', [
  { name: 'invoices', value: String(invoices) },
  { name: 'payments', value: String(model.tally.payments) },
  { name: 'created while deliveries were off', value: String(model.tally.deliveriesOff) },
  { name: 'differences', value: '0', wanted: '0', met: true },
])
await model[Symbol.asyncDispose]()
await app[Symbol.asyncDispose]()
