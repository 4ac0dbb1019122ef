import { demandNode } from './lib/demand-node.mjs'

// `npm run test:mutants`: checks that a test fails for each small change of the modules in
// test/mutants/modules.json. `npm run test:mutants -- FILE` checks one of them.
if (demandNode()) {
  Promise.all([import('./lib/mutants.mjs'), import('./lib/problem.mjs')]).then(
    ([{ testMutants }, { guarded }]) => guarded(() => testMutants(process.argv.slice(2))),
  )
}
