import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './styles/tokens.css'
import './styles/reset.css'
import { App } from './app.tsx'
import { connect, createPreloadTransport } from './bridge.ts'
import { startLookups } from './features/accounts/lookups.ts'
import { appSettings, startAppSettings } from './features/app-settings.ts'
import { startCaptureCounts } from './features/capture-counts.ts'
import { startAnswerRules } from './features/answers/answer-rules.ts'
import { startForwardRules } from './features/forwarding/rules.ts'
import { startFrame } from './features/frame/start-frame.ts'
import { startInvoiceAccess } from './features/invoices/access/access.ts'
import { startInvoices } from './features/invoices/invoices.ts'
import { startInvoiceJobs } from './features/invoices/jobs/jobs.ts'
import { tellJobOutcome } from './features/invoices/jobs/tell-outcome.ts'
import { startNetworks } from './features/networks.ts'
import { startChanges } from './features/webhooks/changes/changes.ts'
import { tellOutcome } from './features/webhooks/changes/tell-outcome.ts'
import { startChecks } from './features/webhooks/missed/checks.ts'
import { startFollowingWebhooks } from './features/webhooks/follow-network.ts'
import { startMoves } from './features/webhooks/move/moves.ts'
import { startWebhooks } from './features/webhooks/webhooks.ts'
import { startNotices } from './features/notices.ts'
import { startReplays } from './features/replays/replays.ts'
import { tellReplay } from './features/replays/tell-outcome.ts'
import { startReceiverState } from './features/receiver-state.ts'
import { startSandboxState } from './features/sandbox-state.ts'
import { startSecrets } from './features/secrets.ts'
import { startTunnel } from './features/tunnels/tunnel.ts'
import { startFollowingNetwork } from './features/transactions/left-behind.ts'
import { startTheme } from './features/theme.ts'
import { startKeyboard } from './keyboard.ts'
import { startRouting } from './route.ts'
import { browserDeps, createWebTransport, followStartLinks } from './web-transport.ts'

if (window.bridge === undefined) followStartLinks(window)
startTheme()
startAppSettings()
startCaptureCounts()
startLookups()
startForwardRules()
startAnswerRules()
startTunnel()
startReplays(tellReplay)
startNetworks()
startInvoices()
startInvoiceAccess()
startInvoiceJobs(tellJobOutcome)
startWebhooks()
startChanges(tellOutcome)
startChecks()
startMoves()
startNotices()
startReceiverState()
startSandboxState()
startSecrets()
startFollowingNetwork()
startFollowingWebhooks()
connect(
  window.bridge === undefined
    ? createWebTransport(browserDeps(window))
    : createPreloadTransport(window.bridge),
)
// Asked for at once: the theme hangs on them, on whichever page one lands.
void appSettings.reload()
// After the transport, which takes the start token out of the address.
startRouting()
startKeyboard()
startFrame()

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root')
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
