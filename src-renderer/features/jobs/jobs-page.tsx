import { useRef } from 'react'
import { RegisteredJobs } from '../../app/features.tsx'
import { useLinkKeys } from '../../ui/keyboard.ts'
import { Page } from '../../ui/page.tsx'

/** Shows jobs whose results belong to no other list: replays, and jobs with many invoices. */
export function JobsPage() {
  const body = useRef<HTMLDivElement>(null)
  useLinkKeys(body, { group: 'Jobs', thing: 'job' })
  return (
    <Page title="Jobs">
      <div ref={body}>
        <RegisteredJobs />
      </div>
    </Page>
  )
}
