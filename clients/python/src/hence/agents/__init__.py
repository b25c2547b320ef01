"""Adapters that have the gate judge the tool calls of agent frameworks: `hence.agents.openai`, `hence.agents.langchain`."""
