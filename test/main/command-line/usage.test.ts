import { afterEach, expect, test } from 'vitest'
import { killAll, runCommand } from './cli-process.ts'

afterEach(killAll)

test('help exits with 0, prints to standard output and documents the exit codes', async () => {
  const all = await runCommand('--help')
  expect(all).toMatchObject({ code: 0, errors: '' })
  const text = all.lines.join('\n')
  for (const name of [
    'open',
    'serve',
    'listen',
    'sandbox',
    'networks',
    'lookup',
    'doctor',
    'backup',
    'restore',
    'help',
  ]) {
    expect(text).toMatch(new RegExp(`^  ${name}\\b`, 'm'))
  }
  expect(text).toContain('Exit codes:')
  for (const args of [
    ['listen', '--help'],
    ['help', 'listen'],
    ['--help', 'listen'],
  ]) {
    const { code, lines } = await runCommand(...args)
    expect(code).toBe(0)
    expect(lines.join('\n')).toMatch(/Usage: tondesk listen[\s\S]*--json[\s\S]*Exit codes:/)
  }
})

test('invalid arguments fail with one sentence and exit code 2', async () => {
  for (const [args, sentence] of [
    [['lisen'], /Unknown command "lisen"/],
    [['listen', '--prot', '1'], /Unknown option '--prot'/],
    [['listen', '--port', 'x'], /--port takes a port from 0 to 65535, not "x"/],
    [['serve', '--port', '65536'], /--port takes a port/],
    [['restore'], /needs FILE/],
    [['backup', 'a', 'b'], /"b" is an extra argument/],
    [['networks', 'tell'], /knows list, test and set-key, not "tell"/],
    [['networks', 'test', 'a', 'b'], /"b" is an extra argument/],
  ] as const) {
    const { code, lines, errors } = await runCommand(...args)
    expect(code, args.join(' ')).toBe(2)
    expect(errors).toMatch(sentence)
    expect(errors.trim().split('\n')).toHaveLength(1)
    expect(lines).toEqual([])
  }
})

test('a failure is one sentence without a stack trace', async () => {
  const { code, errors } = await runCommand('backup', '--data-dir', `${import.meta.filename}/x`)
  expect(code).toBe(1)
  expect(errors).toMatch(/^tondesk: .*test\.ts.x cannot be used/)
  expect(errors).not.toContain('    at ')
})
