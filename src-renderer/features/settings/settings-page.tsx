import { useEffect } from 'react'
import { useResource } from '../../app/resource.ts'
import { printRoute, useRoute } from '../../app/route.ts'
import { FailedState } from '../../ui/failed-state.tsx'
import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { appSettings } from '../../app/app-settings.ts'
import { AboutSection } from './about-section.tsx'
import { AppearanceSection } from './appearance-section.tsx'
import { DataSection } from './data-section.tsx'
import { InspectorSection } from './inspector-section.tsx'
import { MonitoringSection } from './monitoring-section.tsx'
import { NetworksSection } from './networks-section.tsx'
import { DiagnosticsSection } from './diagnostics-section.tsx'
import { ReceiverSection } from './receiver-section.tsx'
import { RetentionSection } from './retention-section.tsx'
import { SandboxSection } from './sandbox-section.tsx'
import { sections } from './section.tsx'
import { TokensSection } from './tokens-section.tsx'
import styles from './settings-page.module.css'

export function SettingsPage() {
  const state = useResource(appSettings)
  const section = useRoute(({ route }) => (route.page === 'settings' ? route.section : null))
  const ready = state.status === 'ready'

  useEffect(() => {
    if (section === null || !ready) return
    document.getElementById(`settings-${section}`)?.scrollIntoView({ block: 'start' })
    document.getElementById(`title-${section}`)?.focus({ preventScroll: true })
  }, [section, ready])

  return (
    <Page title="Settings">
      {(state.status === 'idle' || state.status === 'loading') && <Skeleton rows={8} />}
      {state.status === 'failed' && (
        <FailedState
          what="The settings could not be read"
          why={state.error.message}
          onRetry={() => void appSettings.reload()}
        />
      )}
      {ready && (
        <div className={styles['layout']}>
          <nav aria-label="Settings" className={styles['list']}>
            {sections.map(({ id, title }) => (
              <a
                key={id}
                href={printRoute({ page: 'settings', section: id })}
                className={styles['link']}
                aria-current={id === section ? 'true' : undefined}
              >
                {title}
              </a>
            ))}
          </nav>
          <div>
            <NetworksSection />
            <ReceiverSection settings={state.value.receiver} />
            <SandboxSection settings={state.value.sandbox} />
            <TokensSection />
            <InspectorSection settings={state.value.inspector} />
            <MonitoringSection settings={state.value.monitoring} />
            <RetentionSection settings={state.value.retention} />
            <AppearanceSection settings={state.value.appearance} />
            <DataSection />
            <DiagnosticsSection />
            <AboutSection />
          </div>
        </div>
      )}
    </Page>
  )
}
