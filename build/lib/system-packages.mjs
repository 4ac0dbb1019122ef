import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import process from 'node:process'
import { run, runQuietly } from './child.mjs'
import { Problem } from './problem.mjs'
import { nodeBinary, root, toolEnvironment } from './runtime.mjs'

const { platform, env } = process

function onPath(names) {
  const folders = (env.PATH ?? '').split(delimiter)
  return names.some((name) => folders.some((folder) => existsSync(join(folder, name))))
}

function hasLibrary(name) {
  const bases = ['/usr/lib', '/usr/lib64', '/lib', '/usr/local/lib']
  return bases.some(
    (base) =>
      existsSync(join(base, name)) ||
      (existsSync(base) &&
        readdirSync(base).some((folder) => existsSync(join(base, folder, name)))),
  )
}

// The folder of Playwright's own Chromium, if `npx playwright install chromium` was run.
function hasPlaywrightChromium() {
  const home = env.HOME ?? env.USERPROFILE ?? ''
  const base =
    env.PLAYWRIGHT_BROWSERS_PATH ??
    {
      linux: join(home, '.cache', 'ms-playwright'),
      darwin: join(home, 'Library', 'Caches', 'ms-playwright'),
      win32: join(env.LOCALAPPDATA ?? home, 'ms-playwright'),
    }[platform]
  return Boolean(
    base && existsSync(base) && readdirSync(base).some((name) => /^chromium-/.test(name)),
  )
}

const chromium = {
  parts: ['e2e', 'long', 'bench of the window'],
  what: 'Chromium',
  debian: ['chromium-headless-shell'],
  // The test makes the same choice as test/stand-in/chromium.ts.
  isThere: () =>
    Boolean(env.TONDESK_CHROMIUM) ||
    existsSync('/usr/bin/chromium-headless-shell') ||
    existsSync('/usr/bin/chromium') ||
    hasPlaywrightChromium(),
}

const keychain = [
  {
    what: 'D-Bus (dbus-run-session)',
    debian: ['dbus', 'dbus-x11'],
    isThere: () => onPath(['dbus-run-session']),
  },
  {
    what: 'GNOME Keyring (gnome-keyring-daemon)',
    debian: ['gnome-keyring'],
    isThere: () => onPath(['gnome-keyring-daemon']),
  },
  {
    what: 'libsecret (libsecret-1.so.0)',
    debian: ['libsecret-1-0'],
    isThere: () => hasLibrary('libsecret-1.so.0'),
  },
].map((need) => ({ ...need, parts: ['main', 'long'] }))

const wrk = {
  parts: ['bench of the receiver'],
  what: 'wrk',
  debian: ['wrk'],
  isThere: () => onPath(['wrk']),
}

const compiler = {
  parts: ['long'],
  what: 'a C compiler (gcc)',
  debian: ['gcc', 'libc6-dev'],
  isThere: () => onPath(['gcc']),
}

/** Returns the programs that the named parts of the tests need and that are not installed. */
export function missingPackages(parts) {
  const needs = [chromium, wrk, ...(platform === 'linux' ? [...keychain, compiler] : [])]
  return needs.filter((need) => need.parts.some((part) => parts.includes(part)) && !need.isThere())
}

/** Parses /etc/os-release to the distribution's id and the ids of its ancestors. */
export function distributionOf(osRelease) {
  const value = (key) => new RegExp(`^${key}="?([^"\n]*)"?$`, 'm').exec(osRelease)?.[1] ?? ''
  return [value('ID'), ...value('ID_LIKE').split(' ')].filter(Boolean)
}

/** Describes how to install missing packages if this program may not install them. */
export function installAdvice(missing, distribution) {
  const browser = 'npx playwright install --with-deps chromium'
  // Ubuntu's package chromium only installs a snap, so Playwright's browser is used there.
  const fromApt =
    distribution[0] === 'ubuntu' ? missing.filter((need) => need !== chromium) : missing
  const commands = distribution.includes('debian')
    ? [
        fromApt.length > 0 && `sudo apt-get install ${fromApt.flatMap((n) => n.debian).join(' ')}`,
        fromApt.length < missing.length && browser,
      ].filter(Boolean)
    : missing.includes(chromium)
      ? [browser]
      : []
  const others = distribution.includes('debian') ? [] : missing.filter((need) => need !== chromium)
  return [
    commands.length > 0 && `Run: ${commands.join(' && ')}`,
    others.length > 0 &&
      `Install with your package manager: ${others.map((n) => n.what).join(', ')}`,
  ]
    .filter(Boolean)
    .join('\n')
}

async function demand(command, args, what) {
  const { exitCode } = await run(command, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: toolEnvironment({ DEBIAN_FRONTEND: 'noninteractive' }),
  })
  if (exitCode !== 0) {
    throw new Problem(`${what} could not be installed.`, 'Read what it said above, and try again.')
  }
}

/** Installs what the tests need, on Debian and Ubuntu as root; elsewhere it prints what to install. */
export async function ensurePackages(parts) {
  const missing = missingPackages(parts)
  if (missing.length === 0) return
  const distribution = existsSync('/etc/os-release')
    ? distributionOf(readFileSync('/etc/os-release', 'utf8'))
    : []
  const names = missing.map((need) => need.what).join(', ')
  if (!distribution.includes('debian') || process.getuid?.() !== 0) {
    throw new Problem(`The tests need: ${names}.`, installAdvice(missing, distribution))
  }
  console.error(`Installing for the tests: ${names}`)
  const isUbuntu = distribution[0] === 'ubuntu'
  const packages = missing
    .filter((need) => !(isUbuntu && need === chromium))
    .flatMap((need) => need.debian)
  if (packages.length > 0) {
    // The package list of a container is usually outdated. A failure here becomes visible at the installation.
    await runQuietly('apt-get', ['update', '-q'])
    await demand(
      'apt-get',
      ['install', '-y', '-q', '--no-install-recommends', ...packages],
      packages.join(', '),
    )
  }
  if (isUbuntu && missing.includes(chromium)) {
    const tool = join(root, 'node_modules', '@playwright', 'test', 'cli.js')
    await demand(nodeBinary(), [tool, 'install', '--with-deps', 'chromium'], 'Chromium')
  }
}
