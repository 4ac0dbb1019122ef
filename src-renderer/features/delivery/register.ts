/**
 * The parts of this feature that exist on every page. Its views and dialogs are loaded when they
 * are first shown.
 */
import { lazyPart, paletteEntry, registerFeature } from '../../app/features.tsx'
import { navigate } from '../../app/route.ts'
import { forwardingHome } from '../../components/delivery/forward-deliveries.tsx'
import { openReplay } from '../../components/delivery/replays.tsx'
import { checkTunnel, tunnelsHome } from '../../components/delivery/tunnel.tsx'
import { responsesHome, turnAllOff, ResponseRulesBanner } from './response-rules.tsx'

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
  dialogs: { replay: lazyPart(async () => (await import('./replay-dialog.tsx')).ReplayDialog) },
  Jobs: lazyPart(async () => (await import('./replays-view.tsx')).Replays),
  paletteEntries: [
    paletteEntry(
      'new-rule',
      'Inspector: New forwarding rule',
      'plus',
      'forward target localhost',
      newForwardRule,
    ),
    paletteEntry('replay-since', 'Replay recent captures…', 'play', 'resend again everything', () =>
      openReplay({ kind: 'since', at: 0 }),
    ),
    paletteEntry(
      'new-answer-rule',
      'Inspector: New response rule',
      'plus',
      'answer fail status 500 delay hang cut mock',
      newResponseRule,
    ),
    paletteEntry(
      'answers-off',
      'Turn off all response rules',
      'stop',
      'answers rules 200 stop',
      turnAllOff,
    ),
    paletteEntry('tunnel-check', 'Check the tunnel', 'check', 'public url nonce reach', () => {
      navigate(tunnelsHome)
      void checkTunnel()
    }),
  ],
})
