// Runs a command inside `dbus-run-session` with a real, unlocked keychain: GNOME Keyring on the
// session's own bus, in a home directory of its own, so that no keychain of the person's is touched.
import { spawn } from 'node:child_process'
import process from 'node:process'
import { run } from './lib/child.mjs'

const keyring = spawn(
  'gnome-keyring-daemon',
  ['--foreground', '--unlock', '--components=secrets'],
  { stdio: ['pipe', 'pipe', 'inherit'] },
)
// The password ends with the newline; without one the daemon unlocks nothing.
keyring.stdin.end('tondesk tests\n')
// Its first output is the control address, printed once it answers.
const ready = await new Promise((resolve) => {
  keyring.stdout.once('data', () => resolve(true))
  keyring.once('error', () => resolve(false))
  keyring.once('exit', () => resolve(false))
})
if (!ready) {
  console.error('GNOME Keyring did not start, so the keychain cannot be tested.')
  process.exitCode = 1
} else {
  const [command, ...args] = process.argv.slice(2)
  const { exitCode } = await run(command, args)
  keyring.kill()
  process.exitCode = exitCode
}
