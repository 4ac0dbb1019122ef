import { useEffect } from 'react'
import { useData } from '../../app/bridge.ts'
import { printRoute, useRoute } from '../../app/route.ts'
import { Contents, Page } from '../../ui/page.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import {
  AboutSection,
  AppearanceSection,
  InspectorSection,
  RetentionSection,
} from './app-sections.tsx'
import { DataSection } from './data-section.tsx'
import { DiagnosticsSection } from './diagnostics-section.tsx'
import { MonitoringSection } from './monitoring-section.tsx'
import { NetworksSection } from './networks-section.tsx'
import { ReceiverSection, SandboxSection } from './process-sections.tsx'
import { sections } from './section.tsx'
import { TokensSection } from './tokens-section.tsx'

export function SettingsPage() {
  const query = useData('settings.get')
  const section = useRoute(({ route }) => (route.page === 'settings' ? route.section : null))
  const isReady = query.data !== undefined

  useEffect(() => {
    if (section === null || !isReady) return
    const element = document.getElementById(`settings-${section}`)
    const heading = element?.querySelector('h2')
    element?.scrollIntoView({ block: 'start' })
    if (heading === null || heading === undefined) return
    heading.tabIndex = -1
    heading.focus({ preventScroll: true })
  }, [section, isReady])

  return (
    <Page title="Settings">
      <Loaded query={query} of="the settings" rows={8}>
        {(settings) => (
          <Contents
            label="Settings"
            links={Object.entries(sections).map(([id, title]) => ({
              href: printRoute({ page: 'settings', section: id }),
              title,
              isCurrent: id === section,
            }))}
          >
            <NetworksSection />
            <ReceiverSection settings={settings.receiver} />
            <SandboxSection settings={settings.sandbox} />
            <TokensSection />
            <InspectorSection settings={settings.inspector} />
            <MonitoringSection settings={settings.monitoring} />
            <RetentionSection settings={settings.retention} />
            <AppearanceSection settings={settings.appearance} />
            <DataSection />
            <DiagnosticsSection />
            <AboutSection />
          </Contents>
        )}
      </Loaded>
    </Page>
  )
}
