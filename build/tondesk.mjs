#!/usr/bin/env node
import { demandNode } from './lib/demand-node.mjs'

// The command line. Standard output belongs to the command alone: what this program has to say while
// it prepares goes to standard error.
if (demandNode()) {
  Promise.all([
    import('./lib/child.mjs'),
    import('./lib/install.mjs'),
    import('./lib/output.mjs'),
    import('./lib/problem.mjs'),
    import('./lib/runtime.mjs'),
  ]).then(
    ([
      { run },
      { ensureInstalled },
      { ensureBuilt },
      { guarded },
      { appNodeFlags, nodeBinary, root },
    ]) =>
      guarded(async () => {
        await ensureInstalled({ quiet: !process.stderr.isTTY })
        await ensureBuilt({ quiet: !process.stderr.isTTY })
        const { exitCode } = await run(nodeBinary(), [
          ...appNodeFlags,
          `${root}/out/main/cli.js`,
          ...process.argv.slice(2),
        ])
        return exitCode
      }),
  )
}
