/** Tests the sources of installed, built and released code. */
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))

test('every package with an install script is listed in allowScripts, and only node is allowed', () => {
  const withScripts = Object.entries(lock.packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([path, { name }]) => name ?? path.replace(/^.*node_modules\//, ''))
  const decided = Object.keys(manifest.allowScripts)
  expect(withScripts.filter((name) => !decided.includes(name))).toEqual([])
  const allowed = decided.filter((name) => manifest.allowScripts[name])
  expect(allowed).toEqual(['node'])
})

test('every package of the lock file has a hash', () => {
  const loose = Object.entries(lock.packages)
    .filter(
      ([path, { link, integrity }]) => path !== '' && !link && !/^sha512-/.test(integrity ?? ''),
    )
    .map(([path]) => path)
  expect(loose).toEqual([])
})

test('all versions in package.json are exact', () => {
  const all = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
  expect(all.filter(([, version]) => !/^(npm:@[\w/-]+@)?\d+\.\d+\.\d+$/.test(version))).toEqual([])
})

const workflows = globSync('.github/workflows/*.yml').map((file) => [
  file.replaceAll('\\', '/'),
  readFileSync(file, 'utf8'),
])

test.each(workflows)(
  '%s pins each action by its commit and grants no permission by default',
  (_, text) => {
    const uses = [...text.matchAll(/uses: (\S+)/g)].map(([, action]) => action)
    expect(uses.length).toBeGreaterThan(0)
    expect(uses.filter((action) => !/^[\w./-]+@[0-9a-f]{40}$/.test(action))).toEqual([])
    expect(text).toMatch(/^permissions: \{\}$/m)
    expect(text).not.toMatch(/pull_request_target/)
    // A step's script must not contain a value that an outsider can choose.
    expect(text).not.toMatch(/run: .*\$\{\{ *github\.(event|head_ref)/)
  },
)
