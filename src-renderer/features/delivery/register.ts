/**
 * The parts of this feature that exist on every page. Its views and dialogs are loaded when they
 * are first shown.
 */
import { lazy } from 'react'
import { registerFeature } from '../../app/features.tsx'
import { navigate } from '../../app/route.ts'
import { forwardingHome } from '../../components/delivery/forward-deliveries.tsx'
import { openReplay } from '../../components/delivery/replays.tsx'
import { checkTunnel, tunnelsHome } from '../../components/delivery/tunnel.tsx'
import { responsesHome, turnAllOff, ResponseRulesBanner } from './response-rules.tsx'

const ReplayDialog = lazy(async () => ({
  default: (await import('./replay-dialog.tsx')).ReplayDialog,
}))

async function newForwardRule(): Promise<void> {
  navigate(forwardingHome)
  const { forwardRules } = await import('./forward-rules.tsx')
  forwardRules.open()
}

async function newResponseRule(): Promise<void> {
  navigate(responsesHome)
  const { openResponseRule } = await import('./response-rules-view.tsx')
  openResponseRule()
}

registerFeature({
  Banner: ResponseRulesBanner,
  dialogs: { replay: ReplayDialog },
  Jobs: lazy(async () => ({ default: (await import('./replays-view.tsx')).Replays })),
  paletteEntries: [
    {
      id: 'new-rule',
      label: 'Inspector: New forwarding rule',
      icon: 'plus',
      words: 'forward target localhost',
      run: () => void newForwardRule(),
    },
    {
      id: 'replay-since',
      label: 'Replay recent captures…',
      icon: 'play',
      words: 'resend again everything',
      run: () => openReplay({ kind: 'since', at: 0 }),
    },
    {
      id: 'new-answer-rule',
      label: 'Inspector: New response rule',
      icon: 'plus',
      words: 'answer fail status 500 delay hang cut mock',
      run: () => void newResponseRule(),
    },
    {
      id: 'answers-off',
      label: 'Turn off all response rules',
      icon: 'stop',
      words: 'answers rules 200 stop',
      run: () => void turnAllOff(),
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
  ],
})
