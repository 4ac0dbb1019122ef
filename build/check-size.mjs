import { demandNode } from './lib/demand-node.mjs'

// `node build/check-size.mjs`: no room of the product is larger than build/size-budget.json allows.
// `--write` sets every budget to the present size.
if (demandNode()) {
  Promise.all([import('./lib/size.mjs'), import('./lib/problem.mjs')]).then(
    ([{ checkSize }, { guarded }]) => guarded(() => checkSize(process.argv.slice(2))),
  )
}
