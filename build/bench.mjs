import { demandNode } from './lib/demand-node.mjs'

// `npm run bench -- <name> [flags]`: runs test/bench/<name>.ts; without a name, lists the benchmarks.
if (demandNode()) {
  Promise.all([import('./lib/bench.mjs'), import('./lib/problem.mjs')]).then(
    ([{ bench }, { guarded }]) => guarded(() => bench(process.argv.slice(2))),
  )
}
