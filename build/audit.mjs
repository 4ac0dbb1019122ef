// `node build/audit.mjs`: lists npm's known vulnerabilities of the packages in the built app. They
// are development dependencies that vite bundles, so `npm audit --omit dev` ignores them.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { npmCommand, root } from './lib/runtime.mjs'

const { packages } = JSON.parse(readFileSync(`${root}/out/renderer/about/licences.json`, 'utf8'))
const shipped = new Map(packages.map(({ name, version }) => [name, version]))
const npm = npmCommand(['audit', '--json'])
const { stdout } = spawnSync(npm.command, npm.args, { cwd: root, encoding: 'utf8', ...npm.options })
const { vulnerabilities, message, error } = JSON.parse(stdout || '{}')
if (vulnerabilities === undefined) {
  const reason = message ?? error?.summary ?? 'npm said nothing'
  console.error(`The packages were not audited: the registry gives no audits (${reason}).`)
  process.exitCode = 1
} else {
  const found = Object.values(vulnerabilities).filter(({ name }) => shipped.has(name))
  for (const { name, severity, range } of found) {
    console.error(`${name} ${shipped.get(name)}: ${severity}, in versions ${range}`)
  }
  console.log(`${shipped.size} packages of the app audited, ${found.length} with known problems.`)
  process.exitCode = found.length === 0 ? 0 : 1
}
