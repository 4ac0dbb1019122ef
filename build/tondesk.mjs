#!/usr/bin/env node
import { demandNode } from './lib/demand-node.mjs'

// The command line. Standard output belongs to the command alone, so messages about the preparation
// go to standard error.
if (demandNode()) {
  Promise.all([
    import('./lib/install.mjs'),
    import('./lib/output.mjs'),
    import('./lib/problem.mjs'),
    import('./lib/runtime.mjs'),
    import('./lib/supervise.mjs'),
  ]).then(
    ([
      { ensureInstalled },
      { ensureBuilt },
      { guarded },
      { appNodeFlags, nodeBinary, root },
      { supervise },
    ]) =>
      guarded(async () => {
        await ensureInstalled({ quiet: !process.stderr.isTTY })
        await ensureBuilt({ quiet: !process.stderr.isTTY })
        const { exitCode } = await supervise(nodeBinary(), [
          ...appNodeFlags,
          `${root}/out/main/cli.js`,
          ...process.argv.slice(2),
        ])
        return exitCode
      }),
  )
}
