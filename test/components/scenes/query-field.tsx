/** A `QueryField` whose requests the test handles. */
import { useState } from 'react'
import { connect } from '../../../src-renderer/app/bridge.ts'
import { QueryField } from '../../../src-renderer/components/query/query-field.tsx'
import type { Envelope } from '../../../src-preload/domain/app-error.ts'
import { Controls, report } from './parts.tsx'

declare global {
  interface Window {
    readonly answerRequest: (name: string, input: unknown) => Promise<Envelope<unknown>>
  }
}

connect({
  request: (name, input) => window.answerRequest(name, input),
  on: () => () => undefined,
  start: (onStatus) => onStatus('open'),
  retry: () => undefined,
})

export function QueryFieldScene() {
  const [text, setText] = useState(new URLSearchParams(window.location.search).get('query') ?? '')
  return (
    <>
      <QueryField
        label="Search captures"
        value={text}
        onChange={setText}
        onEnter={() => report(`searches ${text}`)}
        recent={['status:5xx', 'path:/orders']}
      />
      <Controls />
    </>
  )
}
