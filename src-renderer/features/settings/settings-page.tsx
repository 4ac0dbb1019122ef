import { type ComponentType, Suspense, useEffect } from 'react'
import type { Settings } from '../../../src-preload/contract/settings.ts'
import type { SettingsSectionId } from '../../app/app-settings.ts'
import { useData } from '../../app/bridge.ts'
import { groupedSettings } from '../../app/features.tsx'
import { navigate, routeHref, useRoute } from '../../app/route.ts'
import { NotFound } from '../../components/not-found.tsx'
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

const sections: Record<SettingsSectionId, ComponentType<{ settings: Settings }>> = {
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
  const groups = groupedSettings()

  useEffect(() => {
    if (section === null || !isReady) return
    const element = document.getElementById(`settings-${section}`)
    const heading = element?.querySelector('h3')
    element?.scrollIntoView({ block: 'start' })
    if (heading === null || heading === undefined) return
    heading.tabIndex = -1
    heading.focus({ preventScroll: true })
  }, [section, isReady])

  if (section !== null && !groups.some(({ topics }) => topics.some(({ id }) => id === section))) {
    return <NotFound />
  }
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
              groups={groups.map(({ title, topics }) => ({
                href: routeHref({ page: 'settings', section: topics[0]?.id ?? null }),
                title,
                isCurrent: topics.some(({ id }) => id === section),
                content: topics.map(({ id, Section = sections[id as keyof typeof sections] }) => (
                  <Suspense key={id}>
                    <Section settings={settings} />
                  </Suspense>
                )),
              }))}
            />
          )}
        </Loaded>
      </DropZone>
    </Page>
  )
}
