import type { Output } from '../../../src-preload/contract/routes.ts'

/** How to start each, for the receiver's port of now. */
export function instructions(port: number): Output<'tunnel.instructions'> {
  return [
    {
      agent: 'ngrok',
      text: 'ngrok gives a URL of its own to each account. Tondesk finds it while it runs.',
      command: `ngrok http ${port}`,
    },
    {
      agent: 'cloudflared',
      text: 'A quick tunnel of Cloudflare needs no account; its URL is another at each start. Tondesk finds it while it runs.',
      command: `cloudflared tunnel --url http://127.0.0.1:${port}`,
    },
    {
      agent: 'ssh',
      text: 'A server of your own, whose web server passes https on to its port 8080. Give its URL by hand.',
      command: `ssh -N -R 8080:127.0.0.1:${port} you@your-server.example`,
    },
  ]
}
