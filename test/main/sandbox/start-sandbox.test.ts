/** The programmatic interface of the package: a sandbox in a child process, and its errors. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import {
  ControlError,
  SandboxError,
  connectSandbox,
  startSandbox,
} from '../../../src-main/sandbox/start-sandbox.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { startEndpoint } from '../../fixtures/endpoint.ts'

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('a test starts a sandbox, pays an invoice, waits, moves the clock and reverts', async () => {
  await using sandbox = await startSandbox({ now: '2026-01-01' })
  const created = await fetch(`${sandbox.consoleUrl}/api/v1/services/invoices/invoice`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${sandbox.invoicesToken}` },
    body: JSON.stringify({ amount: '2000000000', life_time: 600, currency: 'TON' }),
  })
  const { id } = (await created.json()) as { id: string }
  const { name } = await sandbox.snapshot()
  const waiting = sandbox.waitFor({ invoice: id })
  expect((await sandbox.pay(id, { how: 'under' })).invoice.status).toBe('pending')
  await sandbox.pay(id, { how: 'rest' })
  expect((await waiting).invoice).toMatchObject({ id, status: 'paid' })
  await sandbox.revert(name)
  expect(await sandbox.advance(601_000)).toMatchObject({ now: Date.UTC(2026, 0, 1) + 601_000 })
  await expect(sandbox.waitFor({ invoice: id, timeoutMs: 50 })).rejects.toThrow(
    'the condition does not hold after 50 ms',
  )
  await sandbox.waitFor({ invoice: id, status: 'expired' })
  expect(await sandbox.deliveries()).toEqual({ deliveries: [], waiting: 0, failing: 0 })
  await sandbox.fault({ root: 'query', kind: 'status', status: 500 })
  expect((await fetch(`${sandbox.queryUrl}/v2/status`)).status).toBe(500)
  await sandbox.reset()
  expect((await fetch(`${sandbox.queryUrl}/v2/status`)).status).toBe(200)
})

test('a refusal is a ControlError with its status: an advance into the past, an unknown invoice', async () => {
  await using sandbox = await startSandbox()
  const refusals = [
    [sandbox.advance(-1), 400, 'byMs: is at least 0, because the clock never goes back'],
    [sandbox.pay('none'), 404, 'invoice not found'],
    [sandbox.waitFor({ webhook: 9, status: 'online' }), 404, 'webhook not found'],
  ] as const
  for (const [request, status, message] of refusals) {
    const error: unknown = await request.catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ControlError)
    expect(error).toMatchObject({ status, message })
  }
})

test('two sandboxes on one port or directory, a port below 1024 and a wrong seed are refused with the reason', async () => {
  using directory = temporaryDirectory()
  const dataDirectory = join(directory.path, 'data')
  await using first = await startSandbox({ dataDirectory })
  const port = Number(new URL(first.queryUrl).port)
  for (const [options, code, message] of [
    [{ port }, 'SANDBOX_PORT_TAKEN', `Port ${port} is taken.`],
    [{ dataDirectory }, 'SANDBOX_HELD', `Another sandbox uses ${dataDirectory}.`],
    [{ port: 80 }, 'SANDBOX_FAILED', '--port needs a port from 1024 to 65535, or 0 for any'],
    [{ seed: 'a b' }, 'SANDBOX_BAD_SEED', 'A seed has 1 to 64 letters'],
    [{ now: 'today' }, 'SANDBOX_FAILED', '--now needs a time from 2020 to 2099'],
  ] as const) {
    const error: unknown = await startSandbox(options).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(SandboxError)
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) as string })
  }
})

const module = pathToFileURL(
  join(import.meta.dirname, '../../../src-main/sandbox/start-sandbox.ts'),
)

function startParent(script: string) {
  const code = `import { startSandbox } from ${JSON.stringify(module.href)}\n${script}`
  const parent = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return { parent, exited: once(parent, 'exit') }
}

test('the sandbox ends when its parent is killed, and when its parent ends without closing it', async () => {
  const { parent, exited } = startParent(
    `console.log((await startSandbox()).pid); setInterval(() => {}, 1000)`,
  )
  const [line] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string]
  const pid = Number(line)
  expect(isRunning(pid)).toBe(true)
  parent.kill('SIGKILL')
  await exited
  await expect.poll(() => isRunning(pid)).toBe(false)

  const second = startParent(`console.log((await startSandbox()).pid)`)
  const [other] = (await once(createInterface({ input: second.parent.stdout }), 'line')) as [string]
  expect((await second.exited)[0]).toBe(0)
  await expect.poll(() => isRunning(Number(other))).toBe(false)
})

test('a client that never reads a response delays no other client and not the end', async () => {
  await using sandbox = await startSandbox()
  const { port } = new URL(sandbox.controlUrl)
  const socket = connect({ host: '127.0.0.1', port: Number(port) })
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  const request = `GET /sandbox/openapi.json HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${sandbox.controlKey}\r\n\r\n`
  socket.pause()
  socket.write(request.repeat(300))
  expect((await sandbox.control('clock', {})).mode).toBe('virtual')
  await sandbox.close()
  expect(isRunning(sandbox.pid)).toBe(false)
  socket.destroy()
})

test('the same seed and calls give the same bytes of chain, invoices and deliveries in another process, folder and time zone', async () => {
  /** A digest of all that the run produced. */
  async function run(zone: string, directory: string): Promise<string> {
    await using endpoint = await startEndpoint()
    const { parent, exited } = startParent(
      `process.env.TZ = ${JSON.stringify(zone)}; process.chdir(${JSON.stringify(directory)})
       const sandbox = await startSandbox({ seed: 'same', now: '2026-01-01T00:00:00Z' })
       console.log(JSON.stringify(sandbox))
       await new Promise((resolve) => setTimeout(resolve, 600_000))`,
    )
    const [line] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string]
    const ready = JSON.parse(line) as Awaited<ReturnType<typeof startSandbox>>
    const { pay, send, deploy, idle, advance, control } = connectSandbox(ready)
    const post = async (url: string, key: string, body: object) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}` },
        body: JSON.stringify(body),
      })
      return (await response.json()) as Record<string, unknown>
    }
    const { webhook_id: id } = await post(`${ready.webhooksUrl}/webhooks`, ready.apiKey, {
      endpoint: endpoint.url,
    })
    const merchant = ready.wallets.find(({ name }) => name === 'merchant')?.address
    await post(`${ready.webhooksUrl}/webhooks/${String(id)}/account-tx/subscribe`, ready.apiKey, {
      accounts: [{ account_id: merchant }],
    })
    await control('setInvoicesApp', { webhooks: [endpoint.url] })
    const invoices = `${ready.consoleUrl}/api/v1/services/invoices/invoice`
    const made = { amount: '5000000', life_time: 600, currency: 'USDT' }
    const invoice = await post(invoices, ready.invoicesToken, made)
    const outcomes = [
      await send({ from: 'wallet-1', to: 'merchant', amount: '7', comment: 'ü' }),
      await deploy({}),
      await pay(String(invoice['id'])),
      await idle(),
      await advance(3_600_000),
    ]
    const raw = await fetch(
      `${ready.queryUrl}/v2/blockchain/accounts/${merchant}/transactions?limit=100`,
    )
    const deliveries = endpoint.received.map(({ body }) => body).sort()
    const all = JSON.stringify([invoice, outcomes, await raw.text(), deliveries])
    expect(deliveries).toHaveLength(3)
    parent.kill('SIGKILL')
    await exited
    return createHash('sha256').update(all).digest('hex')
  }

  using one = temporaryDirectory()
  using other = temporaryDirectory()
  const [first, second] = [await run('Asia/Tokyo', one.path), await run('America/Lima', other.path)]
  expect(first).toBe(second)
})
