import { navigate } from '../../../app/route.ts'
import { answersHome } from '../answers/answer-rules.ts'
import { allOff } from '../answers/rule-commands.ts'
import { openAnswerRule } from '../answers/rule-dialog.tsx'
import { openRule } from '../forwarding/rule-dialog.tsx'
import { forwardingHome } from '../forwarding/rules.ts'
import type { PaletteEntry } from '../../../app/frame/palette-entry.ts'
import { openReplay } from '../replays/replay-dialog-state.ts'
import { replaysHome } from '../replays/replays.ts'
import { checkTunnel, tunnelsHome } from '../tunnels/tunnel.ts'

/** What is done with captures and can be run from any page. */
export const workbenchEntries: readonly PaletteEntry[] = [
  {
    id: 'forwarding',
    label: 'Inspector: Forwarding',
    icon: 'send',
    words: 'forward rules targets health waiting retry local server',
    run: () => navigate(forwardingHome),
  },
  {
    id: 'new-rule',
    label: 'Inspector: New forwarding rule',
    icon: 'plus',
    words: 'forward target localhost',
    run: () => {
      navigate(forwardingHome)
      openRule()
    },
  },
  {
    id: 'replays',
    label: 'Inspector: Replays',
    icon: 'play',
    words: 'sent again resend jobs',
    run: () => navigate(replaysHome),
  },
  {
    id: 'replay-since',
    label: 'Replay everything since…',
    icon: 'play',
    words: 'resend again captures',
    run: () => openReplay({ kind: 'since', at: 0 }),
  },
  {
    id: 'answers',
    label: 'Inspector: Answers',
    icon: 'undo',
    words: 'rules status 500 failure delay hang cut chaos',
    run: () => navigate(answersHome),
  },
  {
    id: 'new-answer-rule',
    label: 'Inspector: New answer rule',
    icon: 'plus',
    words: 'fail status 500 delay hang cut',
    run: () => {
      navigate(answersHome)
      openAnswerRule()
    },
  },
  {
    id: 'answers-off',
    label: 'Answers: All off',
    icon: 'stop',
    words: 'rules 200 stop',
    run: () => void allOff(),
  },
  {
    id: 'tunnels',
    label: 'Inspector: Tunnels',
    icon: 'webhooks',
    words: 'public url ngrok cloudflared test delivery',
    run: () => navigate(tunnelsHome),
  },
  {
    id: 'tunnel-check',
    label: 'Check the tunnel',
    icon: 'check',
    words: 'public url nonce reach',
    run: () => {
      navigate(tunnelsHome)
      void checkTunnel()
    },
  },
  {
    id: 'compare',
    label: 'Compare two captures',
    icon: 'transactions',
    words: 'diff difference side by side',
    run: () => navigate({ page: 'workbench', view: 'compare', left: '', right: '' }),
  },
]
