"""The distribution's own name: the first step of the `agents` command. The SDK itself is `mistralai.agents`."""
