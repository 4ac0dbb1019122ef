import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './child.mjs'
import { ensureInstalled } from './install.mjs'
import { ensureBuilt } from './output.mjs'
import { Problem } from './problem.mjs'
import { ensurePackages } from './system-packages.mjs'
import { nodeBinary, root, toolEnvironment } from './runtime.mjs'

const folder = join(root, 'test', 'bench')

// Returns the first sentence of a file's opening comment.
function aboutOf(text) {
  const comment = /^\/\*\*([\s\S]*?)\*\//.exec(text)?.[1] ?? ''
  const words = comment
    .replace(/^\s*\*/gm, '')
    .replace(/\s+/g, ' ')
    .trim()
  return /^.*?[.:;](?=\s|$)/.exec(words)?.[0].replace(/[.:;]$/, '') ?? words
}

/** Lists the benchmarks with their descriptions. */
function listBenches() {
  const files = existsSync(folder) ? readdirSync(folder) : []
  return files
    .filter((file) => /^[a-z-]+\.ts$/.test(file))
    .sort()
    .map((file) => {
      const text = readFileSync(join(folder, file), 'utf8')
      return { name: file.slice(0, -'.ts'.length), about: aboutOf(text), text }
    })
}

/** Returns the programs that a benchmark needs, by the modules that its source imports. */
export function neededParts(text) {
  return [
    /requestsPerSecond|`inspector-/.test(text) && 'bench of the receiver',
    /chromium|launchStandIn|invoice-window/.test(text) && 'bench of the window',
  ].filter(Boolean)
}

/** Runs one benchmark on Node 24. Programs for comparison are installed only for a benchmark that uses them. */
export async function bench([name, ...flags]) {
  const benches = listBenches()
  if (name === undefined || name.startsWith('-')) {
    console.log('npm run bench -- <name> [flags]\n')
    for (const each of benches) console.log(`  ${each.name.padEnd(16)} ${each.about}`)
    return 0
  }
  const chosen = benches.find((each) => each.name === name)
  if (!chosen) {
    throw new Problem(
      `There is no bench named ${name}.`,
      `There are: ${benches.map((each) => each.name).join(', ') || 'none'}.`,
    )
  }
  await ensureInstalled()
  // Missing programs are reported before a benchmark spends minutes on its data.
  await ensurePackages(neededParts(chosen.text))
  const peers = join(folder, 'peers')
  const { dependencies } = JSON.parse(readFileSync(join(peers, 'package.json'), 'utf8'))
  if (Object.keys(dependencies).some((peer) => chosen.text.includes(peer))) {
    await ensureInstalled({
      folder: peers,
      title: 'Installing what the bench compares with (once)',
    })
  }
  await ensureBuilt()
  const { exitCode } = await run(nodeBinary(), [join(folder, `${name}.ts`), ...flags], {
    cwd: root,
    env: toolEnvironment(),
  })
  return exitCode
}
