import { get } from 'node:http'
import type { FoundTunnel, TunnelAgent, TunnelState } from '../../../src-preload/contract/tunnel.ts'
import { readCloudflared, readNgrok } from './read-agents.ts'

export type AgentPorts = { readonly [A in TunnelAgent]: readonly number[] }

/** Where the agents have their local interface unless told otherwise; each takes the next that is free. */
export const agentPorts: AgentPorts = {
  // https://ngrok.com/docs/agent/api: 4040, and on where more than one runs.
  ngrok: Array.from({ length: 10 }, (_, index) => 4040 + index),
  // Known addresses of cloudflared's metrics server since 2024.
  cloudflared: [20_241, 20_242, 20_243, 20_244, 20_245],
}

export type Asked = { readonly found: FoundTunnel[]; readonly asked: TunnelState['asked'] }

/** They are on this computer: one that takes longer has other troubles. */
const askMs = 1_000
const largestBytes = 512 * 1024

type One = { readonly found: FoundTunnel[]; readonly asked: TunnelState['asked'][number] }

/** Asks all of them at once, on loopback only, with nothing of ours in the question. */
export async function askAgents(ports: AgentPorts, receiverPort: number): Promise<Asked> {
  const others = (list: readonly number[]) => list.filter((port) => port !== receiverPort)
  const all = await Promise.all([
    ...others(ports.ngrok).map((port) => askNgrok(port, receiverPort)),
    ...others(ports.cloudflared).map((port) => askCloudflared(port, receiverPort)),
  ])
  return {
    found: all.flatMap(({ found }) => found),
    asked: all.map(({ asked }) => asked),
  }
}

async function askNgrok(port: number, receiverPort: number): Promise<One> {
  const answer = await getJson(port, '/api/tunnels')
  return told('ngrok', port, answer, 'json' in answer ? readNgrok(answer.json, receiverPort) : [])
}

async function askCloudflared(port: number, receiverPort: number): Promise<One> {
  const quick = await getJson(port, '/quicktunnel')
  if (!('json' in quick)) return told('cloudflared', port, quick, [])
  const config = await getJson(port, '/config')
  const rules = 'json' in config ? config.json : null
  return told('cloudflared', port, quick, readCloudflared(quick.json, rules, receiverPort))
}

type Answer = { readonly json: unknown } | { readonly problem: string }

function told(agent: TunnelAgent, port: number, answer: Answer, found: FoundTunnel[] | null): One {
  const address = `127.0.0.1:${port}`
  if ('problem' in answer) return { found: [], asked: { agent, address, answer: answer.problem } }
  if (found === null) return { found: [], asked: { agent, address, answer: 'Something else.' } }
  const count = found.length === 1 ? '1 tunnel.' : `${found.length} tunnels.`
  return { found, asked: { agent, address, answer: found.length === 0 ? 'No tunnel.' : count } }
}

/** Never rejects, and is through in time, whatever is there. */
function getJson(port: number, path: string): Promise<Answer> {
  return new Promise((resolve) => {
    const options = {
      host: '127.0.0.1',
      port,
      path,
      agent: false,
      headers: { accept: 'application/json' },
    }
    const request = get(options, (response) => {
      if (response.statusCode !== 200) {
        end({ problem: `Answers ${response.statusCode ?? 0}.` })
        return
      }
      const chunks: Buffer[] = []
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        bytes += chunk.byteLength
        if (bytes > largestBytes) end({ problem: 'Answers more than is to be believed.' })
      })
      response.on('end', () => end(readJson(Buffer.concat(chunks).toString('utf8'))))
      response.on('error', () => end({ problem: 'Broke off.' }))
    })
    const timer = setTimeout(() => end({ problem: 'Does not answer in time.' }), askMs)
    function end(answer: Answer): void {
      clearTimeout(timer)
      request.destroy()
      resolve(answer)
    }
    request.on('error', (error: NodeJS.ErrnoException) => {
      end({ problem: error.code === 'ECONNREFUSED' ? 'Nobody there.' : 'Speaks no HTTP.' })
    })
  })
}

function readJson(text: string): Answer {
  try {
    return { json: JSON.parse(text) as unknown }
  } catch {
    return { problem: 'Something else.' }
  }
}
