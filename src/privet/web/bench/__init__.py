"""The workbench of ``privet open``: owner, miner and auditor in a browser, on this machine."""
