import { type ReactNode, Component } from 'react'
import { FailedState } from '../ui/loaded.tsx'

/** A bug in one page leaves the rest standing. React offers this to classes only. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: null }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    const { error } = this.state
    if (error === null) return this.props.children
    return (
      <FailedState
        what="This page has failed"
        why={`A bug in Tondesk caused this error: ${error instanceof Error ? error.message : 'unknown error'}. Your captures are safe.`}
        onRetry={() => this.setState({ error: null })}
      />
    )
  }
}
