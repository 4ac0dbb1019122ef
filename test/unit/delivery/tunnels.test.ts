import { expect, test } from 'vitest'
import { updateTunnel } from '../../../src-main/delivery/tunnels/tunnels.ts'
import { readCloudflared, readNgrok } from '../../../src-main/delivery/tunnels/agents.ts'

const ngrok = (public_url: unknown, addr: unknown = 'http://localhost:4801') => ({
  name: 'x',
  public_url,
  proto: 'https',
  config: { addr, inspect: true },
})

// Any program can listen on an agent's port, so only a URL in its response is used.
test('a public URL of an ngrok agent is accepted only if the settings would accept it', () => {
  const tunnels = [
    ngrok('https://a.ngrok.app/'),
    ngrok('https://b.ngrok.app', '4801'),
    ngrok('https://c.ngrok.app', 'localhost:3000'),
    ngrok('https://d.ngrok.app', 'https://localhost:4801'),
    ngrok('https://e.ngrok.app', 'file:///etc'),
    ngrok('https://f.ngrok.app', 'http://[::1]:4801'),
    ngrok('tcp://0.tcp.ngrok.io:1234'),
    ngrok('javascript:alert(1)'),
    ngrok('https://user:secret@g.ngrok.app'),
    ngrok('https://:secret@g.ngrok.app'),
    ngrok('https://h.ngrok.app/?a=1'),
    ngrok(`https://${'i'.repeat(600)}.app`),
    ngrok(7),
    { public_url: 'https://j.ngrok.app' },
    null,
  ]
  const found = readNgrok({ tunnels }, 4801)
  expect(found?.map(({ publicUrl, isOurs }) => [publicUrl, isOurs])).toEqual([
    ['https://a.ngrok.app', true],
    ['https://b.ngrok.app', true],
    ['https://c.ngrok.app', false],
    ['https://d.ngrok.app', false],
    ['https://e.ngrok.app', false],
    ['https://f.ngrok.app', true],
  ])
  const many = Array.from({ length: 1000 }, () => ngrok('https://a.ngrok.app'))
  expect(readNgrok({ tunnels: many }, 4801)).toHaveLength(50)
  for (const answer of [null, [], 'x', {}, { tunnels: {} }]) expect(readNgrok(answer, 1)).toBe(null)
})

test('quick and named tunnels of cloudflared are listed, and invalid host names are omitted', () => {
  const config = (...ingress: unknown[]) => ({ version: 1, config: { ingress } })
  const service = 'http://127.0.0.1:4801'
  const quick = { hostname: 'quick-words.trycloudflare.com' }
  expect(readCloudflared(quick, config({ service }), 4801)).toEqual([
    {
      agent: 'cloudflared',
      publicUrl: 'https://quick-words.trycloudflare.com',
      localUrl: service,
      isOurs: true,
    },
  ])
  expect(readCloudflared(quick, null, 4801)).toMatchObject([{ localUrl: null, isOurs: null }])
  const named = readCloudflared(
    { hostname: '' },
    config(
      { hostname: 'Hooks.example.com', service },
      { hostname: '*.example.com', service },
      { hostname: 'a/b', service },
      { hostname: 'x.example.com', service: 'http_status:404' },
      7,
    ),
    4801,
  )
  expect(named?.map(({ publicUrl, isOurs }) => [publicUrl, isOurs])).toEqual([
    ['https://hooks.example.com', true],
    ['https://x.example.com', false],
  ])
  expect(readCloudflared({}, null, 4801)).toBe(null)
})

const isPublicHost = (host: string) => host.includes('.') && !host.startsWith('127.')
const tunnel = (publicUrl: string, isOurs: boolean | null = true, agent = 'ngrok' as const) => ({
  agent,
  publicUrl,
  localUrl: null,
  isOurs,
})
const old = 'https://old.ngrok.app'

test.each([
  [
    'the only new tunnel replaces the old one',
    [tunnel('https://new.ngrok.app')],
    'https://new.ngrok.app',
  ],
  ['the old tunnel still exists', [tunnel('https://new.ngrok.app'), tunnel(old)], null],
  ['the agent has stopped', [], null],
  ['the new tunnel leads to another port', [tunnel('https://new.ngrok.app', false)], null],
  ['the new tunnel has an unknown target', [tunnel('https://n.app', null)], 'https://n.app'],
  ['two new tunnels exist', [tunnel('https://n1.app'), tunnel('https://n2.app')], null],
  ['the new URL uses plain HTTP', [tunnel('http://new.ngrok.app')], null],
  ['the new URL leads into the local network', [tunnel('https://127.0.0.1')], null],
])('a new tunnel URL is adopted only if there is no doubt: %s', (_name, found, expected) => {
  const next = updateTunnel({ agent: 'ngrok', publicUrl: old }, old, found, isPublicHost)
  expect(next?.publicUrl ?? null).toBe(expected)
  // The user has entered a URL meanwhile, so nothing else may change it.
  expect(
    updateTunnel({ agent: 'ngrok', publicUrl: old }, 'https://mine.app', found, isPublicHost),
  ).toBe(null)
})
