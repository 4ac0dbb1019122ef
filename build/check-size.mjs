import { demandNode } from './lib/demand-node.mjs'

// `node build/check-size.mjs`: checks that the product has no more lines than build/size.json allows.
if (demandNode()) {
  Promise.all([import('./lib/size.mjs'), import('./lib/problem.mjs')]).then(
    ([{ checkSize }, { guarded }]) => guarded(() => checkSize()),
  )
}
