import { demandNode } from './lib/demand-node.mjs'

// `npm test`: runs all tests from a bare clone. `npm test -- unit main` runs parts.
if (demandNode()) {
  Promise.all([import('./lib/test.mjs'), import('./lib/problem.mjs')]).then(
    ([{ test }, { guarded }]) => guarded(() => test(process.argv.slice(2))),
  )
}
