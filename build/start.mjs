import { demandNode } from './lib/demand-node.mjs'

// `npm start`: runs the app from a bare clone, on any Node from 20 on.
if (demandNode()) {
  Promise.all([import('./lib/start.mjs'), import('./lib/problem.mjs')]).then(
    ([{ start }, { guarded }]) => guarded(() => start(process.argv.slice(2))),
  )
}
