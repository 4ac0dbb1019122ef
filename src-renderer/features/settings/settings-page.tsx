import { type ComponentType, Suspense, useEffect } from 'react'
import type { Settings } from '../../../src-preload/contract/settings.ts'
import type { settingsSections } from '../../app/app-settings.ts'
import { useData } from '../../app/bridge.ts'
import { settingsTopics } from '../../app/features.tsx'
import { navigate, routeHref, useRoute } from '../../app/route.ts'
import { DropZone } from '../../components/files/drop-zone.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Contents, Page } from '../../ui/page.tsx'
import { AboutSection } from './about-section.tsx'
import { AppearanceSection } from './appearance-section.tsx'
import { InspectorSection, RetentionSection } from './capture-sections.tsx'
import { DataSection } from './data-section.tsx'
import { DesktopSection } from './desktop-section.tsx'
import { LogsSection } from './logs-section.tsx'
import { DiagnosticsSection } from './diagnostics-section.tsx'
import { MonitoringSection } from './monitoring-section.tsx'
import { NetworksSection } from './networks-section.tsx'
import { ReceiverSection, SandboxSection } from './process-sections.tsx'
import { restoreFile } from './restore-file.tsx'
import { TokensSection } from './tokens-section.tsx'

const sections: Record<keyof typeof settingsSections, ComponentType<{ settings: Settings }>> = {
  networks: NetworksSection,
  receiver: ReceiverSection,
  sandbox: SandboxSection,
  tokens: TokensSection,
  inspector: InspectorSection,
  monitoring: MonitoringSection,
  retention: RetentionSection,
  appearance: AppearanceSection,
  desktop: DesktopSection,
  data: DataSection,
  diagnostics: DiagnosticsSection,
  logs: LogsSection,
  about: AboutSection,
}

export function SettingsPage() {
  const query = useData('settings.get')
  const section = useRoute(({ route }) => (route.page === 'settings' ? route.section : null))
  const isReady = query.data !== undefined
  const topics = settingsTopics()

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
      <DropZone
        hint="Drop a Tondesk backup to restore it"
        onFile={(file) => {
          navigate({ page: 'settings', section: 'data' })
          void restoreFile(file)
        }}
      >
        <Loaded query={query} of="the settings" rows={8}>
          {(settings) => (
            <Contents
              label="Settings"
              links={topics.map(({ id, title }) => ({
                href: routeHref({ page: 'settings', section: id }),
                title,
                isCurrent: id === section,
              }))}
            >
              {topics.map(({ id, Section = sections[id as keyof typeof sections] }) => (
                <Suspense key={id}>
                  <Section settings={settings} />
                </Suspense>
              ))}
            </Contents>
          )}
        </Loaded>
      </DropZone>
    </Page>
  )
}
